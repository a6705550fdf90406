import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { canonicalJson } from '../../src/kube/text/canonical-json.ts';
import { decodeManifest } from '../../src/kube/manifest/decode-manifest.ts';
import { decodeObjects } from '../../src/kube/manifest/decode-objects.ts';
import { defaultPod } from '../../src/kube/manifest/default-pod.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { staticPod } from '../../src/kube/manifest/static-pod.ts';
import { validatePod } from '../../src/kube/validation/validate-pod.ts';
import { asForAnyOther, FOREIGN_LABELS, FOREIGN_NAMES } from '../support/foreign-names.ts';

/** A pod with the name wherever a manifest may have one. `called` is the name of containers, volumes and ports. */
const manifestWith = (name: string, called = name): object => {
  const one = keyed([[name, 'x']]);
  const amounts = { limits: keyed([[name, '1']]), requests: keyed([[name, '1']]) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', labels: one, annotations: one, ...keyed([[name, 'x']]) },
    spec: {
      nodeSelector: one,
      overhead: keyed([[name, '1']]),
      resources: amounts,
      tolerations: [{ key: name, operator: name }],
      securityContext: { sysctls: [{ name: called, value: '1' }] },
      volumes: [
        { name: called, emptyDir: {} },
        { name: 'other', ...keyed([[name, {}]]) },
      ],
      containers: [
        {
          name: called,
          image: 'i',
          env: [{ name, value: 'x' }],
          ports: [{ name: called, containerPort: 1 }],
          volumeMounts: [{ name: called, mountPath: '/m' }],
          resources: amounts,
          ...keyed([[name, {}]]),
        },
      ],
    },
  };
};

const decoded = (text: string) => decodeManifest({ file: 'p.yaml', text, sizeBytes: text.length });

describe.each(FOREIGN_NAMES)('a manifest with %s for every name', (name) => {
  it('is read as with any other', () => {
    const { is, as } = asForAnyOther(name, (each) => decoded(JSON.stringify(manifestWith(each))));
    expect(is).toBe(as);
    expect(is).toContain('"labels":{"NAME":"x"}');
  });

  it('is read the same from YAML', () => {
    const manifest = manifestWith(name);
    expect(canonicalJson(decoded(stringify(manifest)))).toBe(canonicalJson(decoded(JSON.stringify(manifest))));
  });
});

describe.each(FOREIGN_LABELS)('a manifest with the label %s', (name) => {
  it('is defaulted, validated and made a pod of the node as with any other', () => {
    const { is, as } = asForAnyOther(name, (each) => {
      const read = decoded(JSON.stringify(manifestWith(each, 'main')));
      if (!read.ok) return read;
      const made = staticPod({ manifest: read.pod, nodeName: 'n', source: { type: 'file', path: '/p' } });
      const complete = defaultPod({ ...read.pod, metadata: { ...read.pod.metadata, uid: 'u' } });
      return [made.ok && made.pod.metadata.labels, complete, validatePod(complete)];
    });
    expect(is).toBe(as);
  });
});

describe.each(FOREIGN_NAMES)('an object with a key %s', (name) => {
  it.each(['data', 'binaryData'])('has the key in %s', (member) => {
    const text = stringify({ kind: 'ConfigMap', metadata: { name: 'm' }, [member]: keyed([[name, 'eA==']]) });
    const read = decodeObjects(text);
    const [object] = read.ok ? read.objects : [];
    expect(Object.entries(object?.[member as 'data'] ?? {})).toEqual([[name, 'eA==']]);
  });

  it('of a secret has the key in plain text too', () => {
    const read = decodeObjects(
      stringify({ kind: 'Secret', metadata: { name: 's' }, stringData: keyed([[name, 'x']]) }),
    );
    expect(Object.entries((read.ok ? read.objects[0]?.data : undefined) ?? {})).toEqual([[name, 'eA==']]);
  });
});
