import { describe, expect, it } from 'vitest';
import { keyed } from '../../../src/kube/text/own.ts';
import { noConfigSources, type ConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { parseImageReference } from '../../../src/pod/image/image-reference.ts';
import { buildPayload } from '../../../src/volumes/plan/build-payload.ts';
import { planFiles } from '../../../src/volumes/plan/plan-files.ts';
import { FOREIGN_NAMES } from '../../support/foreign-names.ts';
import { goldenNode } from './golden-case.ts';
import { configOf, messageOf, podWith, sandboxOf } from './one-pod.ts';

// The names that every JavaScript object inherits, wherever a pod's author writes a key or a name.

const decoder = new TextDecoder();

const sourcesWith = (data: Readonly<Record<string, string>>): ConfigSources => ({
  ...noConfigSources,
  services: () => ({ type: 'found', value: [] }),
  configMap: () => ({ type: 'found', value: data }),
  secret: () => ({ type: 'found', value: data }),
});

const KINDS = ['configMapKeyRef', 'secretKeyRef'] as const;
type Kind = (typeof KINDS)[number];

const referring = (kind: Kind, key: string, optional = false) =>
  podWith({}, { env: [{ name: 'A', valueFrom: { [kind]: { name: 'o', key, optional } } }] });

const variables = (...[pod, change]: Parameters<typeof configOf>): ReadonlyMap<string, string> =>
  new Map(configOf(pod, change).envs.map(({ key, value }) => [key, decoder.decode(value)]));

describe.each(FOREIGN_NAMES)('a pod that writes %s', (name) => {
  it.each(KINDS)('as a missing key of a %s keeps the container from starting', (kind) => {
    const object = kind === 'secretKeyRef' ? 'Secret' : 'ConfigMap';
    const sources = sourcesWith({ other: 'x' });
    expect(messageOf(referring(kind, name), { sources })).toBe(`couldn't find key ${name} in ${object} n/o`);
  });

  it.each(KINDS)('as a missing key of an optional %s sets no variable', (kind) => {
    const sources = sourcesWith({ other: 'x' });
    expect(variables(referring(kind, name, true), { sources }).has('A')).toBe(false);
  });

  it.each(KINDS)('as an existing key of a %s sets its value', (kind) => {
    const sources = sourcesWith(keyed([[name, 'x']]));
    expect(variables(referring(kind, name), { sources }).get('A')).toBe('x');
  });

  it('as a key in envFrom sets a variable for each entry', () => {
    const pod = podWith({}, { envFrom: [{ configMapRef: { name: 'o' } }] });
    expect(variables(pod, { sources: sourcesWith(keyed([[name, 'x']])) }).get(name)).toBe('x');
  });

  it('as the name of a variable sets it, and other variables can refer to it', () => {
    const env = [
      { name, value: 'x' },
      { name: 'B', value: `$(${name})` },
    ];
    expect(variables(podWith({}, { env })).get('B')).toBe('x');
    expect(variables(podWith({}, { env: env.slice(1) })).get('B')).toBe(`$(${name})`);
  });

  it.each(['labels', 'annotations'] as const)('as a missing one of its %s sees an empty text', (map) => {
    const fieldRef = { fieldPath: `metadata.${map}['${name}']` };
    const pod = podWith({}, { env: [{ name: 'A', valueFrom: { fieldRef } }] }, { [map]: { other: 'x' } });
    expect(variables(pod).get('A')).toBe('');
  });

  it.each(['labels', 'annotations'] as const)('as one of its %s sees the value', (map) => {
    const fieldRef = { fieldPath: `metadata.${map}['${name}']` };
    const pod = podWith({}, { env: [{ name: 'A', valueFrom: { fieldRef } }] }, { [map]: keyed([[name, 'x']]) });
    expect(variables(pod).get('A')).toBe('x');
  });

  it.each(['labels', 'annotations'] as const)('as one of its %s has a volume with its value', (map) => {
    const items = [
      { path: 'one', fieldRef: { fieldPath: `metadata.${map}['${name}']` } },
      { path: 'all', fieldRef: { fieldPath: `metadata.${map}` } },
    ];
    const files = (metadata: object): unknown => {
      const plan = planFiles({ name: 'v', downwardAPI: { items } }, podWith({}, {}, metadata), goldenNode);
      return plan?.sources.map((source) => source.type === 'text' && source.text);
    };
    expect(files({ [map]: keyed([[name, 'x']]) })).toEqual(['x', `${name}="x"`]);
    expect(files({ [map]: { other: 'x' } })).toEqual(['', 'other="x"']);
  });

  it('as a key of an object has a file of that name, and a missing item is reported by its name', () => {
    const ofItems = { configMap: { name: 'o', items: [{ key: name, path: 'file' }] } };
    const written = (source: object, data: Readonly<Record<string, string>>): unknown => {
      const plan = planFiles({ name: 'v', ...source }, podWith({}), goldenNode);
      if (plan === undefined) throw new Error('the volume has no files');
      const built = buildPayload(plan, [{ type: 'object', data: { data } }], { fsGroup: undefined });
      return built.ok ? [...built.payload.keys()] : built.message;
    };
    expect(written({ configMap: { name: 'o' } }, keyed([[name, 'x']]))).toEqual([name]);
    expect(written(ofItems, keyed([[name, 'x']]))).toEqual(['file']);
    expect(written(ofItems, {})).toBe(`configmap references non-existent config key: ${name}`);
  });

  it('as the name of a resource sets that amount alone', () => {
    const resourceFieldRef = { resource: `limits.${name}` };
    const env = [{ name: 'A', valueFrom: { resourceFieldRef } }];
    const limitedTo = (limits: Readonly<Record<string, string>>) => podWith({}, { env, resources: { limits } });
    expect(variables(limitedTo({ cpu: '1' })).get('A')).toBe('0');
    expect(variables(limitedTo(keyed([[name, '3']]))).get('A')).toBe('3');
  });

  it('as a stop signal, volume type or host path check has no effect', () => {
    const pod = podWith(
      { volumes: [{ name: 'v', ...keyed([[name, {}]]) }] },
      { lifecycle: { stopSignal: name }, volumeMounts: [] },
    );
    expect(configOf(pod).stopSignal).toBe(configOf(podWith({})).stopSignal);
  });

  it('as the algorithm of a digest is rejected for it', () => {
    const image = `registry.test/app@${name}:${'a'.repeat(64)}`;
    const reason = /^[a-z]+$/.test(name) ? 'unsupported digest algorithm' : 'invalid reference format';
    expect(parseImageReference(image)).toMatchObject({ ok: false, message: expect.stringContaining(reason) as string });
  });

  it('as a kernel parameter or an annotation passes it to the sandbox', () => {
    const pod = podWith(
      { securityContext: { sysctls: [{ name, value: '1' }] } },
      {},
      { annotations: keyed([[name, 'x']]) },
    );
    const { linux, annotations } = sandboxOf(pod);
    expect(Object.entries(linux?.sysctls ?? {})).toEqual([[name, '1']]);
    expect(Object.entries(annotations)).toContainEqual([name, 'x']);
  });
});
