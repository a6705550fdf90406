import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// Only contexts created after this call have the collector.
const collect = runInNewContext('gc') as () => void;

/** Collects until no more memory is freed. */
export function collectGarbage(): void {
  for (let times = 0; times < 3; times++) collect();
}
