import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import { fromFieldsV1, toFieldsV1 } from '../../../src/embedded/apiserver/patch/owned-fields.ts';
import type { ApiUnderTest } from './api-under-test.ts';
import { aPod, apiUnderTest, done, podsOf, refusal } from './api-under-test.ts';

const C = '/api/v1/namespaces/default/configmaps/c';

const call = ({ api }: ApiUnderTest, manager: string, data: object, force = false) =>
  api.patch(`${C}?fieldManager=${manager}${force ? '&force=true' : ''}`, {
    type: 'apply',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data },
  });
const apply = async (under: ApiUnderTest, manager: string, data: object, force?: boolean): Promise<ApiObject> =>
  done(call(under, manager, data, force));
const ownersOf = ({ metadata }: ApiObject): unknown =>
  (metadata.managedFields ?? []).map((entry) => {
    const { manager, operation, fieldsV1 } = entry as {
      manager: string;
      operation: string;
      fieldsV1: { 'f:data'?: object };
    };
    return `${manager} ${operation} ${Object.keys(fieldsV1['f:data'] ?? {}).join(' ')}`;
  });

describe('server-side apply', () => {
  it('creates a missing object, and records its owner', async () => {
    const under = apiUnderTest();
    const made = await apply(under, 'one', { x: '1' });
    expect(made['data']).toEqual({ x: '1' });
    expect(made.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2026-05-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} } },
      },
    ]);
  });

  it('writes nothing for the same object', async () => {
    const under = apiUnderTest();
    const made = await apply(under, 'one', { x: '1' });
    under.clock.advance(60_000);
    expect(await apply(under, 'one', { x: '1' })).toEqual(made);
  });

  it('removes fields no longer applied, unless another manager owns them', async () => {
    const under = apiUnderTest();
    await apply(under, 'one', { x: '1', y: '2', z: '3' });
    await apply(under, 'other', { z: '3' });
    const after = await apply(under, 'one', { x: '1' });
    expect(after['data']).toEqual({ x: '1', z: '3' });
    expect(ownersOf(after)).toEqual(['other Apply f:z', 'one Apply f:x']);
  });

  it('rejects changes of fields owned by another manager, unless forced', async () => {
    const under = apiUnderTest();
    await apply(under, 'one', { x: '1', y: '2' });
    expect(await refusal(call(under, 'other', { x: '9' }))).toBe(
      '409 Conflict: Apply failed with 1 conflict: conflict with "one" using v1: .data.x',
    );
    expect(await refusal(call(under, 'other', { x: '9', y: '9' }))).toBe(
      '409 Conflict: Apply failed with 2 conflicts: conflicts with "one" using v1:\n- .data.x\n- .data.y',
    );
    const after = await apply(under, 'other', { x: '9' }, true);
    expect(after['data']).toEqual({ x: '9', y: '2' });
    expect(ownersOf(after)).toEqual(['one Apply f:y', 'other Apply f:x']);
  });

  it('records managers of other updates', async () => {
    const under = apiUnderTest();
    await apply(under, 'one', { x: '1' });
    const path = `${C}?fieldManager=editor`;
    const edited = await done(under.api.patch(path, { type: 'merge', body: { data: { x: '5', w: '6' } } }));
    expect(ownersOf(edited)).toEqual(['editor Update f:w f:x']);
    expect(await refusal(call(under, 'one', { x: '1' }))).toMatch(/conflict with "editor" using v1 at .*: .data.x$/);
    expect((await apply(under, 'one', { x: '5' }))['data']).toEqual({ x: '5', w: '6' });
  });

  it('treats untracked fields as owned by another manager', async () => {
    const under = apiUnderTest();
    await done(
      under.api.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { x: '1' } }),
    );
    expect(await refusal(call(under, 'one', { x: '2' }))).toMatch(/conflict with "before-first-apply"/);
    expect(ownersOf(await apply(under, 'one', { x: '1' }))).toEqual(['before-first-apply Update f:x', 'one Apply f:x']);
  });

  it('continues from client-side apply of kubectl', async () => {
    const under = apiUnderTest();
    const lastApplied = JSON.stringify({ metadata: { name: 'c' }, data: { x: '1', y: '2' } });
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied };
    const metadata = { name: 'c', annotations };
    await done(under.api.create('/api/v1/namespaces/default/configmaps', { metadata, data: { x: '1', y: '2' } }));
    const applied = await apply(under, 'kubectl', { x: '3' });
    expect(applied['data']).toEqual({ x: '3' });
    // It is for kubectl to write that anew, and it does as long as it finds it.
    expect(applied.metadata.annotations).toEqual(annotations);
  });

  it('distinguishes items of lists', async () => {
    const under = apiUnderTest();
    const pod = (...containers: object[]) => ({ ...aPod('a'), spec: { containers } });
    const patch = (manager: string, body: object) =>
      done(under.api.patch(`${podsOf()}/a?fieldManager=${manager}`, { type: 'apply', body }));
    await patch(
      'one',
      pod({ name: 'm', image: 'x:1', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }),
    );
    const after = await patch(
      'one',
      pod({ name: 'm', image: 'x:2', ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }),
    );
    expect(after.spec).toMatchObject({
      containers: [{ image: 'x:2', ports: [{ protocol: 'TCP' }, { protocol: 'UDP' }] }],
    });
    const conflict = under.api.patch(`${podsOf()}/a?fieldManager=two`, {
      type: 'apply',
      body: pod({ name: 'm', image: 'x:3' }),
    });
    expect(await refusal(conflict)).toMatch(/: .spec.containers\[name="m"\].image$/);
  });

  it('requires a field manager', async () => {
    const { api } = apiUnderTest();
    expect(await refusal(api.patch(C, { type: 'apply', body: {} }))).toMatch(/fieldManager: Required value/);
  });

  it('can be cleared', async () => {
    const under = apiUnderTest();
    await apply(under, 'one', { x: '1' });
    const body = { metadata: { managedFields: [{}] } };
    expect(ownersOf(await done(under.api.patch(C, { type: 'merge', body })))).toEqual([]);
  });
});

describe('fields', () => {
  it('survive a snapshot', () => {
    const paths = [
      'f:spec\u0000f:containers\u0000k:{"name":"a"}',
      'f:spec\u0000f:containers\u0000k:{"name":"a"}\u0000f:image',
    ];
    expect(toFieldsV1(paths)).toEqual({
      'f:spec': { 'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {} } } },
    });
    expect([...fromFieldsV1(toFieldsV1(paths))]).toEqual(paths);
  });
});
