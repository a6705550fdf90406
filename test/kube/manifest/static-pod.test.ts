import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeManifest } from '../../../src/kube/manifest/decode-manifest.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import {
  isCriticalPod,
  isNodeCriticalPod,
  isStaticPod,
  staticPod,
  withConfigSeen,
} from '../../../src/kube/manifest/static-pod.ts';
import type { StaticPodInput } from '../../../src/kube/manifest/static-pod.ts';

const manifest: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  // A manifest need not name a namespace or UID; both are filled in.
  metadata: { name: 'web', namespace: '', uid: '' },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const input: StaticPodInput = { manifest, nodeName: 'Node-A', source: { type: 'file', path: '/etc/pods/web.yaml' } };

function made(change: Partial<StaticPodInput> = {}): Pod {
  const result = staticPod({ ...input, ...change });
  if (!result.ok) throw new Error(result.message);
  return result.pod;
}

describe('a static pod from a manifest', () => {
  it('is named after its node, and belongs to it', () => {
    const pod = made();
    expect(pod.metadata).toMatchObject({ name: 'web-node-a', namespace: 'default' });
    expect(pod.spec.nodeName).toBe('Node-A');
    expect(pod.status).toEqual({ phase: 'Pending' });
  });

  it('is marked by annotations', () => {
    const pod = withConfigSeen(made(), '2026-01-01T00:00:00.5Z');
    expect(pod.metadata.annotations).toEqual({
      'kubernetes.io/config.hash': pod.metadata.uid,
      'kubernetes.io/config.source': 'file',
      'kubernetes.io/config.seen': '2026-01-01T00:00:00.5Z',
    });
  });

  it('from a file tolerates NoExecute taints; from a URL it does not', () => {
    expect(made().spec.tolerations).toEqual([{ operator: 'Exists', effect: 'NoExecute' }]);
    expect(made({ source: { type: 'http', url: 'http://h/' } }).spec.tolerations).toBeUndefined();
  });

  it('keeps a UID that the manifest sets', () => {
    const pod = made({ manifest: { ...manifest, metadata: { ...manifest.metadata, uid: 'mine' } } });
    expect(pod.metadata.uid).toBe('mine');
    expect(pod.metadata.annotations?.['kubernetes.io/config.hash']).toBe('mine');
  });
});

describe('the UID of a static pod', () => {
  it('has 32 hexadecimal digits and does not depend on the order of fields', () => {
    const { spec, metadata, kind, apiVersion } = manifest;
    expect(made().metadata.uid).toMatch(/^[0-9a-f]{32}$/);
    expect(made({ manifest: { spec, metadata, kind, apiVersion } }).metadata.uid).toBe(made().metadata.uid);
  });

  it.each([
    { change: 'the content', to: { manifest: { ...manifest, spec: { containers: [{ name: 'c', image: 'j' }] } } } },
    { change: 'the node', to: { nodeName: 'Node-B' } },
    { change: 'the path', to: { source: { type: 'file', path: '/etc/pods/other.yaml' } } },
    { change: 'the source', to: { source: { type: 'http', url: '/etc/pods/web.yaml' } } },
  ] satisfies { change: string; to: Partial<StaticPodInput> }[])('changes with $change', ({ to }) => {
    expect(made(to).metadata.uid).not.toBe(made().metadata.uid);
  });
});

describe('a manifest that needs the API', () => {
  it.each([
    { refers: 'configmaps', spec: { containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] } },
    { refers: 'secrets', spec: { containers: [], imagePullSecrets: [{ name: 's' }] } },
    {
      refers: 'secrets',
      spec: { containers: [], volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }] },
    },
    { refers: 'serviceaccounts', spec: { containers: [], serviceAccountName: 'a' } },
    {
      refers: 'serviceaccounts',
      spec: {
        containers: [],
        volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }],
      },
    },
    {
      refers: 'persistentvolumeclaims',
      spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    },
    { refers: 'resourceclaims', spec: { containers: [], resourceClaims: [{ name: 'r' }] } },
  ] satisfies { refers: string; spec: Pod['spec'] }[])('is refused for $refers', ({ refers, spec }) => {
    expect(staticPod({ ...input, manifest: { ...manifest, spec } })).toEqual({
      ok: false,
      references: [refers],
      message: `static pods may not reference ${refers}`,
    });
  });

  it('is rejected as by the kubelet', () => {
    const golden = new URL('../../golden/cri/static-refers-secret/', import.meta.url);
    const text = readFileSync(new URL('manifest.yaml', golden), 'utf8');
    const { logged } = JSON.parse(readFileSync(new URL('expected.json', golden), 'utf8')) as {
      readonly logged: string;
    };
    const decoded = decodeManifest({ file: 'm', text, sizeBytes: text.length });
    const result = decoded.ok ? staticPod({ ...input, manifest: decoded.pod }) : undefined;
    expect(result).toMatchObject({ ok: false, message: logged });
  });
});

describe('a pod', () => {
  const from = (source: string | undefined, spec: Partial<Pod['spec']> = {}): Pod => ({
    ...manifest,
    metadata: {
      ...manifest.metadata,
      annotations: source === undefined ? {} : { 'kubernetes.io/config.source': source },
    },
    spec: { ...manifest.spec, ...spec },
  });

  it.each([
    { source: 'file', isStatic: true },
    { source: 'http', isStatic: true },
    { source: 'api', isStatic: false },
    { source: undefined, isStatic: false },
  ])('from $source is static: $isStatic', ({ source, isStatic }) => {
    expect(isStaticPod(from(source))).toBe(isStatic);
  });

  it.each([
    { rule: 'static', pod: from('file'), isCritical: true, isNodeCritical: false },
    {
      rule: 'of system priority',
      pod: from('api', { priority: 2_000_000_000 }),
      isCritical: true,
      isNodeCritical: false,
    },
    {
      rule: 'of the node',
      pod: from('api', { priority: 2_000_001_000, priorityClassName: 'system-node-critical' }),
      isCritical: true,
      isNodeCritical: true,
    },
    { rule: 'of a user', pod: from('api', { priority: 1_000_000_000 }), isCritical: false, isNodeCritical: false },
    {
      rule: 'with only the name of the class',
      pod: from('api', { priorityClassName: 'system-node-critical' }),
      isCritical: false,
      isNodeCritical: false,
    },
  ])('$rule is critical: $isCritical, node critical: $isNodeCritical', ({ pod, isCritical, isNodeCritical }) => {
    expect(isCriticalPod(pod)).toBe(isCritical);
    expect(isNodeCriticalPod(pod)).toBe(isNodeCritical);
  });
});
