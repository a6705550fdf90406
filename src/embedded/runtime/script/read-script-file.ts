import type { Clock } from '../../../actor/clock.ts';
import { readTextOrPipe } from '../../../host/read-regular-file.ts';
import { parseYaml } from '../../../kube/text/parse-yaml.ts';

/** Reads a script that the command line names: YAML or JSON in a file, or in a pipe. Rejects with the file's name. */
export async function readScriptFile(path: string, clock: Pick<Clock, 'monotonic' | 'after'>): Promise<unknown> {
  const parsed = parseYaml(await readTextOrPipe(path, clock), { reading: { prettyErrors: true } });
  if (!parsed.ok) throw new Error(`the script ${path} cannot be read: ${parsed.problem}`);
  return parsed.value;
}
