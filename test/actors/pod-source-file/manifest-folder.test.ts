import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestFolder } from '../../../actors/pod-source-file/manifest-folder.ts';

let top: string | undefined;
let folder = '';
const closers: (() => void)[] = [];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'hivelet-manifests-'));
  folder = join(top, 'manifests');
  mkdirSync(folder);
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  if (top !== undefined) rmSync(top, { recursive: true, force: true });
  top = undefined;
});

/** Watches, and resolves with the first event that fits. */
function watched(path: string) {
  const seen: string[] = [];
  const waiters: { readonly fits: (event: string) => boolean; readonly resolve: (event: string) => void }[] = [];
  const note = (event: string): void => {
    seen.push(event);
    for (const { fits, resolve } of waiters) if (fits(event)) resolve(event);
  };
  closers.push(
    manifestFolder(path).watch(
      (name, what) => note(what === 'entry' ? `changed entry ${name}` : `changed ${name}`),
      (problem) => note(`ended: ${problem}`),
    ),
  );
  const event = (fits: (event: string) => boolean): Promise<string> =>
    new Promise((resolve) => {
      const before = seen.find(fits);
      if (before !== undefined) resolve(before);
      waiters.push({ fits, resolve });
    });
  return { seen, event };
}

describe('a listing of a folder', () => {
  it('lists files in order, names folders, and skips names with a leading dot', async () => {
    for (const name of ['b.yaml', 'a.json', '.hidden']) writeFileSync(join(folder, name), 'x');
    mkdirSync(join(folder, 'sub'));
    const listing = await manifestFolder(folder).list();
    expect(listing).toMatchObject({
      ok: true,
      scope: 'everything',
      leftOut: new Map([[join(folder, 'sub'), 'a folder']]),
    });
    expect(listing.ok && [...listing.files.keys()]).toEqual([join(folder, 'a.json'), join(folder, 'b.yaml')]);
  });

  it('detects a changed file after any kind of write', async () => {
    const file = join(folder, 'a.yaml');
    const signature = async (): Promise<string | undefined> => {
      const listing = await manifestFolder(folder).list();
      return listing.ok ? listing.files.get(file) : undefined;
    };
    writeFileSync(file, 'one');
    const first = await signature();
    writeFileSync(file, 'other');
    const second = await signature();
    writeFileSync(join(folder, '.new'), 'other');
    renameSync(join(folder, '.new'), file);
    const third = await signature();
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('of some names returns which exist and which do not', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'x');
    mkdirSync(join(folder, 'sub'));
    const listing = await manifestFolder(folder).look(['a.yaml', 'b.yaml', 'sub']);
    expect(listing).toMatchObject({ ok: true, scope: 'names', gone: [join(folder, 'b.yaml'), join(folder, 'sub')] });
    expect(listing.ok && [...listing.files.keys()]).toEqual([join(folder, 'a.yaml')]);
  });

  it('that does not exist returns that', async () => {
    const listing = await manifestFolder(join(folder, 'nowhere')).list();
    expect(listing).toMatchObject({ ok: false, missing: true });
  });

  it('that is a single file returns that file', async () => {
    const file = join(folder, 'only.yaml');
    writeFileSync(file, 'x');
    for (const listing of [await manifestFolder(file).list(), await manifestFolder(file).look(['only.yaml'])]) {
      expect(listing.ok && [...listing.files.keys()]).toEqual([file]);
    }
  });

  it('that is not configured returns nothing and reports no problem', async () => {
    expect(await manifestFolder('').list()).toEqual({
      ok: true,
      scope: 'everything',
      files: new Map(),
      leftOut: new Map(),
      tooMany: 0,
    });
  });
});

describe('a watch on a folder', () => {
  it('reports the name of a written file, but none with a leading dot', async () => {
    const { event, seen } = watched(folder);
    writeFileSync(join(folder, '.hidden'), 'x');
    writeFileSync(join(folder, 'a.yaml'), 'x');
    expect(await event((each) => each === 'changed a.yaml')).toBe('changed a.yaml');
    expect(seen).not.toContain('changed .hidden');
  });

  it('reports the name of a removed file', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'x');
    const { event } = watched(folder);
    rmSync(join(folder, 'a.yaml'));
    expect(await event((each) => each === 'changed entry a.yaml')).toBe('changed entry a.yaml');
  });

  it.each([
    {
      change: 'removed and written again',
      entries: 2,
      make: (file: string) => (rmSync(file), writeFileSync(file, 'x')),
    },
    {
      change: 'moved away and back',
      entries: 2,
      make: (file: string) => (renameSync(file, `${folder}/.aside`), renameSync(`${folder}/.aside`, file)),
    },
    {
      change: 'replaced by another file at once',
      entries: 1,
      make: (file: string) => (writeFileSync(`${folder}/.new`, 'x'), renameSync(`${folder}/.new`, file)),
    },
    { change: 'written over', entries: 0, make: (file: string) => writeFileSync(file, 'y') },
  ])(
    'reports, before a look ends, that a file was $change: $entries changes of its entry',
    async ({ make, entries }) => {
      const file = join(folder, 'a.yaml');
      writeFileSync(file, 'x');
      const { seen } = watched(folder);
      make(file);
      expect(await manifestFolder(folder).look(['a.yaml'])).toMatchObject({ ok: true, gone: [] });
      expect(seen.filter((each) => each === 'changed entry a.yaml')).toHaveLength(entries);
    },
  );

  it('reports a watched file that was removed and written again as such, and ends', async () => {
    const file = join(folder, 'only.yaml');
    writeFileSync(file, 'x');
    const { event, seen } = watched(file);
    rmSync(file);
    writeFileSync(file, 'x');
    expect(await event((each) => each.startsWith('ended'))).toBe('ended: it was replaced');
    expect(seen.filter((each) => each === 'changed entry only.yaml')).toHaveLength(2);
  });

  it('ends when the folder is replaced, because it would report nothing more', async () => {
    const { event } = watched(folder);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(await event((each) => each.startsWith('ended'))).toBe('ended: it was replaced');
  });

  it('ends at once without a folder', () => {
    const { seen } = watched(join(folder, 'nowhere'));
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^ended: .*ENOENT/);
  });
});
