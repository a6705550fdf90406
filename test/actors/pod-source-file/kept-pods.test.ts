import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptPodsIn } from '../../../actors/pod-source-file/kept-pods.ts';
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
  it('are none where nothing was ever kept', () => {
    expect(keptPodsIn(place()).read()).toEqual({ pods: new Map(), problems: [] });
  });

  it('come back as they were, for root alone, until they are dropped', async () => {
    const pod = await podFrom(manifest);
    expect(keptPodsIn(place()).keep('/pods/web.yaml', pod)).toBeUndefined();
    expect(keptPodsIn(place()).read().pods).toEqual(new Map([['/pods/web.yaml', pod]]));
    const [name = ''] = readdirSync(place());
    expect(statSync(join(place(), name)).mode & 0o777).toBe(0o600);
    expect(keptPodsIn(place()).drop('/pods/web.yaml')).toBeUndefined();
    expect(keptPodsIn(place()).drop('/pods/web.yaml')).toBeUndefined();
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
  ])('one of them $rule is reported once and takes no other with it', async ({ damage }) => {
    const pod = await podFrom(manifest);
    keptPodsIn(place()).keep('/pods/a.yaml', pod);
    const [name = ''] = readdirSync(place());
    keptPodsIn(place()).keep('/pods/b.yaml', pod);
    const path = join(place(), name);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    const { pods, problems } = keptPodsIn(place()).read();
    expect([...pods.keys()]).toEqual(['/pods/b.yaml']);
    expect(problems).toEqual([expect.stringContaining(`${path} is damaged`)]);
    expect(keptPodsIn(place()).read().problems).toEqual([]);
  });

  it('say why they cannot be kept', async () => {
    writeFileSync(join(root, 'state'), 'a file where the directory should be');
    const kept = keptPodsIn(place());
    expect(kept.keep('/pods/web.yaml', await podFrom(manifest))).toContain('ENOTDIR');
    expect(kept.read()).toEqual({ pods: new Map(), problems: [expect.stringContaining('ENOTDIR')] });
  });
});
