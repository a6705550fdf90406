import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { hostFiles } from '../../../src/cli/run/run-agent.ts';

it('the files below a folder are found in its folders, and not behind links to folders', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-drop-ins-'));
  try {
    mkdirSync(join(folder, '10-site/rack'), { recursive: true });
    for (const name of ['a.conf', '10-site/b.conf', '10-site/rack/c.conf']) writeFileSync(join(folder, name), '');
    symlinkSync(folder, join(folder, '10-site/again'));
    symlinkSync('a.conf', join(folder, 'link.conf'));
    const found = await hostFiles(systemClock).listFilesBelow(folder);
    expect(found.filter((name) => name.endsWith('.conf')).toSorted()).toEqual([
      '10-site/b.conf',
      '10-site/rack/c.conf',
      'a.conf',
      'link.conf',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
