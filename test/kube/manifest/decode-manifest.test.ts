import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeManifest,
  describeManifestProblem,
  MAX_MANIFEST_BYTES,
} from '../../../src/kube/manifest/decode-manifest.ts';
import type { Pod } from '../../../src/kube/pod.ts';

const HEAD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n';

const decode = (text: string) => decodeManifest({ file: 'web.yaml', text, sizeBytes: text.length });

function podOf(text: string): Pod {
  const decoded = decode(text);
  if (!decoded.ok) throw new Error(decoded.problems.map(describeManifestProblem).join('\n'));
  return decoded.pod;
}

function complaints(text: string): readonly string[] {
  const decoded = decode(text);
  return decoded.ok ? [] : decoded.problems.map(describeManifestProblem);
}

describe('a manifest', () => {
  it('is read the same from YAML and from JSON', () => {
    const yaml = `${HEAD}spec:\n  containers:\n  - {name: c, image: i, resources: {limits: {cpu: 0.5}}}\n`;
    const pod = podOf(yaml);
    expect(pod.spec.containers).toEqual([{ name: 'c', image: 'i', resources: { limits: { cpu: '500m' } } }]);
    expect(podOf(JSON.stringify(pod))).toEqual(pod);
  });

  it('drops unknown and null fields', () => {
    const pod = podOf(
      `${HEAD}  creationTimestamp: null\nstatus: {phase: Running}\nspec:\n  colour: red\n  containers: []\n`,
    );
    expect(pod).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [] } });
  });

  it.each([
    {
      rule: 'octal modes',
      yaml: '{name: v, configMap: {name: m, defaultMode: 0644}}',
      expected: { configMap: { name: 'm', defaultMode: 420 } },
    },
    {
      rule: 'old booleans',
      yaml: '{name: v, configMap: {name: m, optional: yes}}',
      expected: { configMap: { name: 'm', optional: true } },
    },
    {
      rule: 'a time as text',
      yaml: '{name: v, hostPath: {path: 2026-01-01}}',
      expected: { hostPath: { path: '2026-01-01' } },
    },
    {
      rule: 'no numbers in base 60',
      yaml: '{name: v, hostPath: {path: 22:22}}',
      expected: { hostPath: { path: '22:22' } },
    },
    {
      rule: 'no number without digits',
      yaml: '{name: v, hostPath: {path: E1}}',
      expected: { hostPath: { path: 'E1' } },
    },
  ])('is read as YAML 1.1 the way Kubernetes does: $rule', ({ yaml, expected }) => {
    expect(podOf(`${HEAD}spec:\n  volumes: [${yaml}]\n`).spec.volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it('may begin with comments and end with an empty document', () => {
    expect(podOf(`# a pod\n---\n${HEAD}spec: {}\n---\n`).metadata.name).toBe('web');
  });

  it('may use anchors and merges', () => {
    const pod = podOf(`${HEAD}spec:\n  containers:\n  - &c {name: a, image: i}\n  - {<<: *c, name: b}\n`);
    expect(pod.spec.containers).toEqual([
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ]);
  });
});

describe('a manifest that cannot be used', () => {
  it.each([
    { rule: 'empty', text: '', says: 'web.yaml: the file is empty: a Pod is expected' },
    { rule: 'only comments', text: '# nothing\n', says: 'web.yaml: the file is empty: a Pod is expected' },
    {
      rule: 'a scalar',
      text: 'hello',
      says: 'web.yaml:1:1: a Pod is expected: a mapping with apiVersion, kind, metadata and spec (found "hello")',
    },
    { rule: 'no kind', text: 'apiVersion: v1', says: 'web.yaml:1:1: kind: is missing: "Pod" is expected' },
    {
      rule: 'another kind',
      text: 'apiVersion: v1\nkind: Service',
      says: 'web.yaml:2:7: kind: only a Pod can be run from a file (found "Service")',
    },
    {
      rule: 'a list',
      text: 'apiVersion: v1\nkind: List\nitems: []',
      says: 'web.yaml:2:7: kind: lists are not supported: write one Pod in each file (found "List")',
    },
    {
      rule: 'another version',
      text: 'apiVersion: v2\nkind: Pod',
      says: 'web.yaml:1:13: apiVersion: must be "v1" (found "v2")',
    },
    {
      rule: 'two documents',
      text: `${HEAD}---\n${HEAD}`,
      says: 'web.yaml:5:1: a second document begins here: write one Pod in each file',
    },
    { rule: 'a key twice', text: `${HEAD}  name: again\n`, says: 'web.yaml:5:3: the key "name" appears twice' },
    {
      rule: 'a key twice in JSON',
      text: '{"kind": "Pod",\n "kind": "Pod"}',
      says: 'web.yaml:2:2: the key "kind" appears twice',
    },
  ])('reports the problem: $rule', ({ text, says }) => {
    expect(complaints(text)).toEqual([says]);
  });

  it.each([
    {
      yaml: 'containers: [{name: 5}]',
      says: 'web.yaml:6:23: spec.containers[0].name: must be text: put it in quotes (found 5)',
    },
    {
      yaml: 'containers: [{env: [{name: A, value: true}]}]',
      says: 'web.yaml:6:40: spec.containers[0].env[0].value: must be text: put it in quotes (found true)',
    },
    { yaml: 'containers: [{args: ls}]', says: 'web.yaml:6:23: spec.containers[0].args: must be a list (found "ls")' },
    {
      yaml: 'containers: [{tty: "yes"}]',
      says: 'web.yaml:6:22: spec.containers[0].tty: must be true or false (found "yes")',
    },
    {
      yaml: 'containers: [{ports: [{containerPort: "80"}]}]',
      says: 'web.yaml:6:41: spec.containers[0].ports[0].containerPort: must be a whole number (found "80")',
    },
    {
      yaml: 'containers: [{resources: {limits: {cpu: 1x}}}]',
      says: 'web.yaml:6:43: spec.containers[0].resources.limits.cpu: "1x" is not an amount (examples: 500m, 2, 1.5Gi, 1e3) (found "1x")',
    },
    { yaml: 'containers: {name: c}', says: 'web.yaml:6:15: spec.containers: must be a list (found {"name":"c"})' },
    { yaml: 'containers: [null]', says: 'web.yaml:6:16: spec.containers[0]: must not be empty (found null)' },
    {
      yaml: 'nodeSelector: {example.test/a: 1}',
      says: 'web.yaml:6:34: spec.nodeSelector[example.test/a]: must be text: put it in quotes (found 1)',
    },
  ])('names the place and value of a wrong type: $yaml', ({ yaml, says }) => {
    expect(complaints(`${HEAD}spec:\n  ${yaml}\n`)).toEqual([says]);
  });

  it('reports places in JSON as well', () => {
    const json = '{"apiVersion": "v1", "kind": "Pod",\n "spec": {"hostNetwork": "no"}}';
    expect(complaints(json)).toEqual(['web.yaml:2:26: spec.hostNetwork: must be true or false (found "no")']);
  });

  it('is rejected by its size, which the message names', () => {
    const decoded = decodeManifest({ file: 'big.yaml', text: HEAD, sizeBytes: MAX_MANIFEST_BYTES + 1 });
    expect(decoded).toMatchObject({
      ok: false,
      problems: [{ message: 'the file has more than the 10485760 bytes (10 MiB) that a manifest may have' }],
    });
    expect(decodeManifest({ file: 'big.yaml', text: `${HEAD}spec: {}`, sizeBytes: MAX_MANIFEST_BYTES })).toMatchObject({
      ok: true,
    });
  });

  it('does not grow without limit through its aliases', () => {
    const rows = Array.from({ length: 9 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}]`);
    const text = `${HEAD}${rows.join('\n').replace(/\*a-1/g, 'x')}`;
    expect(complaints(text)).toHaveLength(1);
  });

  it('never makes the decoder throw', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.constantFrom('a', ': ', '\n', '- ', '{', '}', '[', ']', '"', "'", '&x ', '*x', '---\n', '|\n', '  ', HEAD),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (any) => {
        expect(typeof decode(any).ok).toBe('boolean');
      }),
    );
  });
});
