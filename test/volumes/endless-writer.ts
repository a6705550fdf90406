import { writeAtomically } from '../../src/volumes/disk/atomic-writer.ts';
import { OpenDirectory } from '../../src/volumes/disk/open-directory.ts';
import type { Payload } from '../../src/volumes/plan/payload.ts';

export const KEYS = ['a', 'b', 'deep/c', 'deep/er/d', 'e'] as const;

/** The same text under every key: a reader that finds two different texts has seen half an update. */
export const payloadOf = (text: string): Payload =>
  new Map(KEYS.map((key) => [key, { bytes: Buffer.from(text), mode: 0o644 }]));

/** As a separate process: writes one version after the other until it is killed. */
if (process.argv[1] === import.meta.filename) {
  const [, , dir = '', life = ''] = process.argv;
  for (let version = 0; ; version += 1) {
    const chance = (Number(life) * 10_000 + version) / 1_000_000;
    OpenDirectory.within(OpenDirectory.open(dir), (directory) =>
      writeAtomically(directory, payloadOf(`${life}.${version}`), { now: version, chance }),
    );
    if (version === 0) process.stdout.write('begun\n');
  }
}
