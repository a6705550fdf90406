import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepSnapshots, readSnapshot } from '../../../../src/embedded/apiserver/store/snapshot.ts';
import { aPod, apiUnderTest, done, podsOf } from '../api-under-test.ts';
import { servedApi } from '../served-api.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-snapshot-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the saved state of a server', () => {
  it('is loaded by the next server, with its certificates', async () => {
    const first = await servedApi({ dataDir: folder });
    const made = await first.ask(podsOf(), { method: 'POST', body: aPod('kept') });
    await first.close();
    const second = await servedApi({ dataDir: folder });
    const found = await second.ask(`${podsOf()}/kept`);
    expect(found.json['metadata']).toEqual(made.json['metadata']);
    expect(second.server.authority.certificate).toBe(first.server.authority.certificate);
    const changed = await second.ask(podsOf(), { method: 'POST', body: aPod('new') });
    const revision = ({ json }: typeof changed) =>
      Number((json['metadata'] as { resourceVersion: string }).resourceVersion);
    expect(revision(changed)).toBeGreaterThan(revision(made));
    await second.close();
  });

  it('is readable by its owner only', async () => {
    const served = await servedApi({ dataDir: folder });
    await served.close();
    for (const name of ['objects.json', 'authority.json']) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  });

  it('is not overwritten by a server that cannot read it', async () => {
    writeFileSync(join(folder, 'objects.json'), '{"revision":');
    await expect(servedApi({ dataDir: folder })).rejects.toThrow(/JSON/);
  });
});

describe('a snapshot', () => {
  it('is written after a change, and when the server stops', async () => {
    const { core, clock, api } = apiUnderTest();
    const stop = keepSnapshots(core, folder, { clock, failed: () => {} });
    clock.advance(5_000);
    const first = readSnapshot(folder)?.revision;
    expect(first).toBe(core.store.revision);
    await done(api.create(podsOf(), aPod('a')));
    expect(readSnapshot(folder)?.revision).toBe(first);
    stop();
    expect(readSnapshot(folder)?.objects['pods']).toMatchObject([{ metadata: { name: 'a' } }]);
  });

  it('is retried when it cannot be written', () => {
    const { core, clock } = apiUnderTest();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const errors: unknown[] = [];
    const stop = keepSnapshots(core, join(file, 'below'), { clock, failed: (error) => errors.push(error) });
    clock.advance(10_000);
    expect(errors).toHaveLength(2);
    stop();
  });
});
