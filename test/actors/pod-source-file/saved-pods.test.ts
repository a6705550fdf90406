import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savedPodsIn } from '../../../actors/pod-source-file/saved-pods.ts';
import { parseManifest } from '../../../src/jobs/parse-manifest.ts';
import type { Pod } from '../../../src/kube/pod.ts';

let root = '';
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'kept-pods-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const place = () => join(root, 'state', 'kept');
const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  containers:
    - name: main
      image: registry.local/web:1
      resources: { limits: { cpu: 500m, memory: 64Mi } }
      livenessProbe: { httpGet: { path: /, port: 80 } }
      volumeMounts: [{ name: data, mountPath: /data }]
  volumes: [{ name: data, emptyDir: {} }]
`;

async function podFrom(text: string): Promise<Pod> {
  const path = join(root, 'pod.yaml');
  writeFileSync(path, text);
  const parsed = await parseManifest({ path, nodeName: 'node' });
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.pod;
}

describe('last good pods on disk', () => {
  it('are none when nothing was saved', () => {
    expect(savedPodsIn(place()).read()).toEqual({ pods: new Map(), problems: [] });
  });

  it('are read back unchanged, readable by root only, until they are dropped', async () => {
    const pod = await podFrom(manifest);
    expect(savedPodsIn(place()).keep('/pods/web.yaml', pod)).toBeUndefined();
    expect(savedPodsIn(place()).read().pods).toEqual(new Map([['/pods/web.yaml', pod]]));
    const [name = ''] = readdirSync(place());
    expect(statSync(join(place(), name)).mode & 0o777).toBe(0o600);
    expect(savedPodsIn(place()).drop('/pods/web.yaml')).toBeUndefined();
    expect(savedPodsIn(place()).drop('/pods/web.yaml')).toBeUndefined();
    expect(readdirSync(place())).toEqual([]);
  });

  it.each([
    { rule: 'cut off', damage: (text: string) => text.slice(0, 100) },
    { rule: 'empty', damage: () => '' },
    { rule: 'not of ours', damage: () => '[1, 2]' },
    { rule: 'without its UID', damage: (text: string) => text.replace('"uid"', '"generateName"') },
    {
      rule: 'with a field of another type',
      damage: (text: string) => text.replace('"containers":[', '"containers":[7,'),
    },
  ])('one saved pod $rule is reported once, without effect on the others', async ({ damage }) => {
    const pod = await podFrom(manifest);
    savedPodsIn(place()).keep('/pods/a.yaml', pod);
    const [name = ''] = readdirSync(place());
    savedPodsIn(place()).keep('/pods/b.yaml', pod);
    const path = join(place(), name);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    const { pods, problems } = savedPodsIn(place()).read();
    expect([...pods.keys()]).toEqual(['/pods/b.yaml']);
    expect(problems).toEqual([expect.stringContaining(`${path} is damaged`)]);
    expect(savedPodsIn(place()).read().problems).toEqual([]);
  });

  it('report why they cannot be saved', async () => {
    writeFileSync(join(root, 'state'), 'a file where the directory should be');
    const kept = savedPodsIn(place());
    expect(kept.keep('/pods/web.yaml', await podFrom(manifest))).toContain('ENOTDIR');
    expect(kept.read()).toEqual({ pods: new Map(), problems: [expect.stringContaining('ENOTDIR')] });
  });
});
