import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Control groups whose own name contains one of these, in whichever hierarchy; paths below /sys/fs/cgroup. */
export function cgroupsNamed(...names: readonly string[]): readonly string[] {
  return [...cgroupsBelow('')].filter((path) => names.some((name) => basename(path).includes(name)));
}

function* cgroupsBelow(path: string): Generator<string> {
  for (const name of directoriesIn(join('/sys/fs/cgroup', path))) {
    const below = join(path, name);
    yield below;
    yield* cgroupsBelow(below);
  }
}

/** Empty when a foreign cgroup vanished during the scan. */
function directoriesIn(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
