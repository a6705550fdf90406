import { assert, jsonValue, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Interner } from '../../../src/api/reflector/intern.ts';
import { compactObject } from '../../../src/api/reflector/project-object.ts';

const without = new Set(['metadata.managedFields', 'spec.topologySpreadConstraints']);
const compact = (object: object, before?: object) =>
  compactObject(object as Readonly<Record<string, unknown>>, {
    interner: new Interner(),
    without,
    before: before as Readonly<Record<string, unknown>> | undefined,
  });

const pod = (version: string, phase: string) => ({
  metadata: { uid: 'u', resourceVersion: version, labels: { app: 'web' }, managedFields: [{ manager: version }] },
  spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }], topologySpreadConstraints: [{}] },
  status: { phase, conditions: [{ type: 'Ready' }, { type: 'Initialized' }] },
});

describe('a cached object of the API', () => {
  it('leaves out unused fields, at the top of metadata and spec only', () => {
    const object = { ...pod('1', 'Running'), extra: { managedFields: 1 } };
    expect(compact(object)).toEqual({
      metadata: { uid: 'u', resourceVersion: '1', labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready' }, { type: 'Initialized' }] },
      extra: { managedFields: 1 },
    });
  });

  it('shares all unchanged parts with the previous object, and nothing else', () => {
    const before = compact(pod('1', 'Pending')) as ReturnType<typeof pod>;
    const after = compact(pod('2', 'Running'), before) as ReturnType<typeof pod>;
    expect(after).toEqual(compact(pod('2', 'Running')));
    expect(after.spec).toBe(before.spec);
    expect(after.metadata.labels).toBe(before.metadata.labels);
    expect(after.status.conditions).toBe(before.status.conditions);
    expect(after.metadata).not.toBe(before.metadata);
    expect(before).toEqual(compact(pod('1', 'Pending')));
  });

  it('leaves out members that are null, which are absent to Kubernetes', () => {
    const { metadata, spec } = pod('1', 'Running');
    const object = { metadata: { ...metadata, labels: null }, spec: { ...spec, volumes: null }, status: null };
    expect(compact(object)).toEqual({
      metadata: { uid: 'u', resourceVersion: '1' },
      spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] },
    });
    const before = compact(object);
    expect(compact(object, before)['spec']).toBe(before['spec']);
  });

  it('equals the result without a previous object', () => {
    const part = jsonValue({ maxDepth: 3 });
    const object = record({ metadata: part, spec: part, status: part }, { requiredKeys: [] });
    assert(
      property(object, object, (one, other) => {
        const before = compact(one);
        expect(compact(other, before)).toEqual(compact(other));
        const present = Object.keys(one).filter((name) => one[name as keyof typeof one] !== null);
        expect(Object.keys(compact(one, before))).toEqual(present);
        for (const name of present) expect(compact(one, before)[name]).toBe(before[name]);
      }),
    );
  });
});
