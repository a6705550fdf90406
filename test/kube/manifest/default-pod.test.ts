import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeManifest } from '../../../src/kube/manifest/decode-manifest.ts';
import { defaultPod } from '../../../src/kube/manifest/default-pod.ts';
import { pullPolicyOf } from '../../../src/kube/default-pull-policy.ts';
import type { Container, Pod, PodSpec } from '../../../src/kube/pod.ts';

const GOLDEN = new URL('../../golden/cri/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, GOLDEN), 'utf8');

/** The members that an API server adds beyond defaults: by admission plugins, by itself, or later. */
const NOT_DEFAULTS = ['tolerations', 'priority', 'preemptionPolicy', 'nodeName', 'overhead', 'ephemeralContainers'];
const withoutAdmission = (spec: PodSpec): object =>
  Object.fromEntries(Object.entries(spec).filter(([member]) => !NOT_DEFAULTS.includes(member)));

const cases = readdirSync(GOLDEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/stored.json`, GOLDEN)))
  .map((entry) => entry.name)
  // Here the API server also writes the old annotation's profile into the field.
  .filter((name) => name !== 'sec-apparmor-unconfined');

describe('defaults', () => {
  it.each(cases)('equal those of an API server: %s', (name) => {
    const text = read(`${name}/manifest.yaml`)
      .split(/^---$/m)
      .find((document) => /^kind: Pod$/m.test(document));
    const decoded = decodeManifest({ file: name, text: text ?? '', sizeBytes: 0 });
    if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems));
    const stored = JSON.parse(read(`${name}/stored.json`)) as Pod;
    expect(withoutAdmission(defaultPod(decoded.pod).spec)).toEqual(withoutAdmission(stored.spec));
  });

  const defaulted = (spec: Partial<PodSpec>): PodSpec =>
    defaultPod({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'n', uid: 'u' },
      spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
    }).spec;
  const container = (spec: Partial<Container>): Container =>
    defaulted({ containers: [{ name: 'c', image: 'i:1', ...spec }] }).containers[0] ?? { name: '' };

  it('are set for probes and hooks', () => {
    const { livenessProbe, readinessProbe, lifecycle } = container({
      livenessProbe: { httpGet: { port: 80 }, periodSeconds: 3 },
      readinessProbe: { grpc: { port: 9 } },
      lifecycle: { preStop: { httpGet: { port: 'web', path: '/bye' } } },
    });
    const times = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect(livenessProbe).toEqual({ ...times, periodSeconds: 3, httpGet: { port: 80, path: '/', scheme: 'HTTP' } });
    expect(readinessProbe).toEqual({ ...times, grpc: { port: 9, service: '' } });
    expect(lifecycle).toEqual({ preStop: { httpGet: { port: 'web', path: '/bye', scheme: 'HTTP' } } });
  });

  it('never replace set values', () => {
    const once = defaulted({ hostNetwork: true, restartPolicy: 'Never', volumes: [{ name: 'v' }] });
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: once };
    expect(defaultPod(pod).spec).toEqual(once);
    expect(once.restartPolicy).toBe('Never');
    expect(once.volumes).toEqual([{ name: 'v', emptyDir: {} }]);
  });

  it.each([
    { image: 'app', policy: 'Always' },
    { image: 'app:latest', policy: 'Always' },
    { image: 'registry.test:5000/app', policy: 'Always' },
    { image: 'registry.test:5000/app:1', policy: 'IfNotPresent' },
    { image: 'app@sha256:00', policy: 'IfNotPresent' },
    { image: 'app:latest@sha256:00', policy: 'Always' },
    { image: '', policy: 'IfNotPresent' },
  ])('pull $image $policy', ({ image, policy }) => {
    expect(pullPolicyOf(image)).toBe(policy);
  });
});
