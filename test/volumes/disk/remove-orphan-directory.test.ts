import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeOrphanDirectory } from '../../../src/volumes/disk/remove-orphan-directory.ts';

describe('an orphaned pod directory', () => {
  let rootDir: string;
  beforeEach(() => {
    rootDir = mkdtempSync(join(tmpdir(), 'orphan-'));
    mkdirSync(join(rootDir, 'pods/lost/containers/main'), { recursive: true });
    writeFileSync(join(rootDir, 'pods/lost/containers/main/0a1b'), 'last words');
  });
  afterEach(() => rmSync(rootDir, { recursive: true }));

  const remove = (podUid: string, mounted: readonly string[] = []) =>
    removeOrphanDirectory(
      { rootDir, podUid },
      { mountPoints: () => Promise.resolve(mounted.map((path) => ({ path: join(rootDir, path), type: 'ext4' }))) },
    );

  it('is removed with its content, without following links', async () => {
    writeFileSync(join(rootDir, 'mine'), '');
    mkdirSync(join(rootDir, 'elsewhere'));
    writeFileSync(join(rootDir, 'elsewhere/kept'), '');
    symlinkSync(join(rootDir, 'elsewhere'), join(rootDir, 'pods/lost/link'));
    expect(await remove('lost')).toBe('removed');
    expect(existsSync(join(rootDir, 'pods/lost'))).toBe(false);
    expect(existsSync(join(rootDir, 'elsewhere/kept'))).toBe(true);
  });

  it.each(['pods/lost', 'pods/lost/containers/main'])(
    'stays with all its content while %s is a mount',
    async (path) => {
      expect(await remove('lost', [path])).toBe('still-mounted');
      expect(existsSync(join(rootDir, 'pods/lost/containers/main/0a1b'))).toBe(true);
    },
  );

  it("is removed although another pod's directory has a mount", async () => {
    expect(await remove('lost', ['pods/lost-2/volumes'])).toBe('removed');
  });

  it('stays while it has a device link, and is removed with empty device directories', async () => {
    const devices = join(rootDir, 'pods/lost/volumeDevices/kubernetes.io~csi');
    mkdirSync(devices, { recursive: true });
    symlinkSync('/nowhere/at/all', join(devices, 'pv-1'));
    expect(await remove('lost')).toBe('still-mounted');
    rmSync(join(devices, 'pv-1'));
    expect(await remove('lost')).toBe('removed');
  });

  it('may be gone already', async () => {
    expect(await remove('other')).toBe('removed');
  });

  it.each(['', '.', '..', 'lost/containers', '../pods'])('is never %j', async (podUid) => {
    await expect(remove(podUid)).rejects.toThrow('refusing to remove');
    expect(existsSync(join(rootDir, 'pods/lost'))).toBe(true);
  });
});
