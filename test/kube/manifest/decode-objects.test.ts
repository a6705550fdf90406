import { describe, expect, it } from 'vitest';
import { decodeObjects } from '../../../src/kube/manifest/decode-objects.ts';

const map = (text: string) => `kind: ConfigMap\nmetadata: { name: c }\n${text}`;

describe('objects in a file', () => {
  it('are its ConfigMaps and Secrets, also within a List; other kinds are skipped', () => {
    const text = `
kind: ConfigMap
metadata: { name: a, namespace: shop }
data: { k: v }
binaryData: { b: 3q2+7w== }
---
kind: Pod
metadata: { name: p }
---
kind: List
items:
  - kind: Secret
    metadata: { name: s }
    type: kubernetes.io/tls
    data: { x: eA== }
    stringData: { b: z }
`;
    expect(decodeObjects(text)).toEqual({
      ok: true,
      objects: [
        expect.objectContaining({ kind: 'ConfigMap', namespace: 'shop', name: 'a', data: { k: 'v' } }),
        expect.objectContaining({
          kind: 'Secret',
          namespace: 'default',
          secretType: 'kubernetes.io/tls',
          data: { x: 'eA==', b: 'eg==' },
        }),
      ],
    });
  });

  it('have a new version only with new content', () => {
    const versionOf = (text: string) => {
      const decoded = decodeObjects(map(text));
      return decoded.ok ? decoded.objects[0]?.version : undefined;
    };
    expect(versionOf('data: { a: b, c: d }')).toBe(versionOf('data:\n  c: d\n  a: b'));
    expect(versionOf('data: { a: b }')).not.toBe(versionOf('data: { a: c }'));
  });

  it.each([
    ['data: { a: 1 }', 'ConfigMap default/c: data must map keys to strings'],
    ['data: [a]', 'ConfigMap default/c: data must map keys to strings'],
    ['data: { "../a": x }', 'ConfigMap default/c: "../a" is not a valid key: use letters, digits, -, _ and .'],
    ['data: { "..data": x }', 'ConfigMap default/c: "..data" is not a valid key: use letters, digits, -, _ and .'],
  ])('%s: %s', (text, problem) => {
    expect(decodeObjects(map(text))).toEqual({ ok: false, problem });
  });

  it('must have names, and be YAML', () => {
    expect(decodeObjects('kind: Secret')).toEqual({ ok: false, problem: 'a Secret has no name' });
    expect(decodeObjects('a: [')).toMatchObject({ ok: false });
    expect(decodeObjects('')).toEqual({ ok: true, objects: [] });
  });
});
