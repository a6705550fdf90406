import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseManifest, parseManifestFrom, parseManifests } from '../../src/jobs/parse-manifest.ts';
import { ForbiddenFile } from '../../src/host/read-regular-file.ts';
import type { ManifestFiles, ParsedManifest } from '../../src/jobs/parse-manifest.ts';

const WEB = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: c\n    image: i:1\n';

const holding = (text: string): ManifestFiles => ({ read: () => Promise.resolve(Buffer.from(text)) });
const parse = (files: ManifestFiles): Promise<ParsedManifest> =>
  parseManifestFrom(files, { path: '/pods/web.yaml', nodeName: 'n1' });

describe('parsing a manifest file', () => {
  it('returns a static pod of the node, defaulted, as plain data', async () => {
    const parsed = await parse(holding(WEB));
    expect(parsed).toMatchObject({
      path: '/pods/web.yaml',
      ok: true,
      sizeBytes: WEB.length,
      pod: { metadata: { name: 'web-n1', namespace: 'default' }, spec: { nodeName: 'n1', restartPolicy: 'Always' } },
    });
    expect(structuredClone(parsed)).toEqual(parsed);
  });

  it.each([
    { rule: 'malformed text', text: 'a: [', fault: 'malformed', says: /^\/pods\/web\.yaml:1:\d+: / },
    {
      rule: 'a wrong value',
      text: WEB.replace('name: c', 'name: C'),
      fault: 'invalid',
      says: /^\/pods\/web\.yaml:7:11: spec\.containers\[0\]\.name: must be .* \(found "C"\)$/,
    },
    {
      rule: 'no name',
      text: WEB.replace('name: web', 'labels: {}'),
      fault: 'invalid',
      says: /metadata\.name: is required$/,
    },
    { rule: 'no spec', text: WEB.slice(0, WEB.indexOf('spec:')), fault: 'invalid', says: /:1:1: spec: is required$/ },
    {
      rule: 'a reference to an object',
      text: `${WEB}    envFrom: [{secretRef: {name: s}}]\n`,
      fault: 'refers-to-api-objects',
      says: /static pods may not reference secrets$/,
    },
  ])('reports problem and place: $rule', async ({ text, fault, says }) => {
    const parsed = await parse(holding(text));
    expect(parsed).toMatchObject({ ok: false, fault, problem: expect.stringMatching(says) as string });
  });

  it('does not read a file that is too large', async () => {
    const files: ManifestFiles = {
      read: () => Promise.reject(new ForbiddenFile('too-large', 'read no further')),
    };
    expect(await parse(files)).toMatchObject({
      ok: false,
      fault: 'too-large',
      problem: expect.stringContaining('10 MiB') as string,
    });
  });

  it('rejects a file that grew too large while it was opened', async () => {
    expect(await parse(holding(WEB.padEnd(10 * 1024 * 1024 + 1)))).toMatchObject({ ok: false, fault: 'too-large' });
  });

  it('reports a missing file', async () => {
    const gone: ManifestFiles = { read: () => Promise.reject(new Error('ENOENT: no such file')) };
    expect(await parse(gone)).toMatchObject({
      ok: false,
      fault: 'unreadable',
      problem: '/pods/web.yaml: ENOENT: no such file',
    });
  });

  it('reads a batch from disk, each file separately, in order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
    try {
      await writeFile(join(folder, 'a.yaml'), WEB);
      const files = ['b.yaml', 'a.yaml'].map((name) => ({ path: join(folder, name), nodeName: 'n1' }));
      const parsed = await parseManifests(files);
      expect(parsed.map(({ ok }) => ok)).toEqual([false, true]);
      expect(await parseManifest({ path: join(folder, 'a.yaml'), nodeName: 'n1' })).toEqual(parsed[1]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
