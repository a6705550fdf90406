import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import { keepSnapshots, readSnapshot, restoreSnapshot } from '../../../src/embedded/apiserver/store/snapshot.ts';
import { keyed } from '../../../src/kube/text/own.ts';
import { FOREIGN_LABELS, FOREIGN_NAMES, NO_LABELS } from '../../support/foreign-names.ts';
import { aPod, apiUnderTest, done, podsOf, refusal, type ApiUnderTest } from './api-under-test.ts';
import { servedApi } from './served-api.ts';

// The names that every JavaScript object inherits, wherever a client writes a key or a name.

const MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (data: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ...metadata },
  data,
});
const dataOf = (object: ApiObject): unknown => Object.entries(object['data'] ?? {});
const make = ({ api }: ApiUnderTest, data: object, metadata?: object): Promise<ApiObject> =>
  done(api.create(MAPS, configMap(data, metadata)));
const stored = async ({ api }: ApiUnderTest): Promise<unknown> => dataOf(await done(api.get(`${MAPS}/c`)));

/** Returns a name that an object or a namespace may have: some of the inherited names are invalid as such. */
const objectName = (name: string): string => name.toLowerCase().replaceAll('_', 'u');

describe.each(FOREIGN_NAMES)('a client that writes %s', (name) => {
  const one = keyed([[name, 'x']]);

  it('as a key of an object gets the key back', async () => {
    const under = apiUnderTest();
    expect(dataOf(await make(under, one))).toEqual([[name, 'x']]);
    expect(await stored(under)).toEqual([[name, 'x']]);
    const list = await done(under.api.get(MAPS));
    expect((list['items'] as ApiObject[]).map(dataOf)).toEqual([[[name, 'x']]]);
  });

  it('as a key of an update sets, changes and removes the key', async () => {
    const under = apiUnderTest();
    await make(under, { a: '1' });
    const update = async (data: object) => done(under.api.update(`${MAPS}/c`, configMap(data)));
    expect(dataOf(await update(one))).toEqual([[name, 'x']]);
    expect(dataOf(await update({ a: '1' }))).toEqual([['a', '1']]);
  });

  it.each(['merge', 'strategic-merge'] as const)(
    'as a key of a %s patch sets, changes and removes the key',
    async (type) => {
      const under = apiUnderTest();
      await make(under, { a: '1' });
      const patch = async (value: string | null) =>
        dataOf(await done(under.api.patch(`${MAPS}/c`, { type, body: { data: keyed([[name, value]]) } })));
      expect(await patch('x')).toEqual([
        ['a', '1'],
        [name, 'x'],
      ]);
      expect(await patch('y')).toContainEqual([name, 'y']);
      expect(await patch(null)).toEqual([['a', '1']]);
    },
  );

  it.each(['merge', 'strategic-merge'] as const)('as a map within a %s patch changes that map alone', async (type) => {
    const under = apiUnderTest();
    await make(under, { a: '1' });
    const body = keyed([[name, { polluted: 'yes' }]]);
    await under.api.patch(`${MAPS}/c`, { type, body });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await stored(under)).toEqual([['a', '1']]);
  });

  it('as the last step of a path in a JSON patch sets, changes and removes the key', async () => {
    const under = apiUnderTest();
    await make(under, { a: '1' });
    const patch = async (op: string, value?: string) =>
      under.api.patch(`${MAPS}/c`, { type: 'json', body: [{ op, path: `/data/${name}`, value }] });
    for (const op of ['test', 'replace']) expect(await refusal(patch(op, 'x'))).toMatch(/^422 Invalid/);
    expect(await refusal(patch('remove'))).toMatch(/^422 Invalid/);
    expect(dataOf(await done(patch('add', 'x')))).toContainEqual([name, 'x']);
    expect(dataOf(await done(patch('replace', 'y')))).toContainEqual([name, 'y']);
    expect(dataOf(await done(patch('remove')))).toEqual([['a', '1']]);
  });

  it('as an earlier step of a path in a JSON patch changes nothing outside the object', async () => {
    const under = apiUnderTest();
    await make(under, { a: '1' });
    const body = [{ op: 'add', path: `/data/${name}/polluted`, value: 'yes' }];
    expect(await refusal(under.api.patch(`${MAPS}/c`, { type: 'json', body }))).toMatch(/^422 Invalid/);
    const inherited: unknown = Object.getOwnPropertyDescriptor(Object.prototype, name)?.value;
    expect(Object.hasOwn(Object(inherited ?? {}) as object, 'polluted')).toBe(false);
    expect(await stored(under)).toEqual([['a', '1']]);
  });

  it('as an applied key owns the key until the key is no longer applied', async () => {
    const under = apiUnderTest();
    const apply = async (data: object) =>
      done(under.api.patch(`${MAPS}/c?fieldManager=m`, { type: 'apply', body: configMap(data) }));
    const applied = await apply({ a: '1', ...one });
    expect(dataOf(applied)).toEqual(
      expect.arrayContaining([
        ['a', '1'],
        [name, 'x'],
      ]),
    );
    const [owned] = (applied.metadata.managedFields ?? []) as { fieldsV1: { 'f:data': object } }[];
    expect(Object.keys(owned?.fieldsV1['f:data'] ?? {}).sort()).toEqual(['f:a', `f:${name}`].sort());
    expect(dataOf(await apply({ a: '1' }))).toEqual([['a', '1']]);
  });

  it('as a name creates an object and a namespace of that name', async () => {
    const { api } = apiUnderTest();
    const called = objectName(name);
    expect(await refusal(api.get(podsOf(called)).then(async () => api.get(`${podsOf()}/${called}`)))).toMatch(/^404/);
    await done(api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: called } }));
    expect((await done(api.create(podsOf(called), aPod(called)))).metadata.namespace).toBe(called);
    expect((await done(api.get(`${podsOf(called)}/${called}`))).metadata.name).toBe(called);
  });

  it.each([
    ['a resource', (text: string) => `/api/v1/namespaces/default/${text}`, 404],
    ['a group', (text: string) => `/apis/${text}/v1/pods`, 404],
    ['a version', (text: string) => `/api/${text}/pods`, 404],
    ['a subresource', (text: string) => `${MAPS}/c/${text}`, 404],
    ['a field of a selector', (text: string) => `${MAPS}?fieldSelector=${text}%3Dx`, 400],
  ])('as %s is rejected', async (_, path, code) => {
    const under = apiUnderTest();
    await make(under, {});
    expect(await refusal(under.api.get(path(name)))).toMatch(new RegExp(`^${code} `));
  });

  it('as the object that a token is bound to is rejected', async () => {
    const { api } = apiUnderTest();
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    const spec = { audiences: ['a'], boundObjectRef: { kind: name, name: 'x' } };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    expect(await refusal(api.create(`${account}/token`, body))).toMatch(/^400 /);
  });

  it('as a key of an object gets the key back after a restart of the server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hivelet-foreign-names-'));
    try {
      const first = apiUnderTest();
      await make(first, one);
      keepSnapshots(first.core, folder, { clock: first.clock, failed: () => {} })();
      const second = apiUnderTest();
      const snapshot = readSnapshot(folder);
      if (snapshot !== undefined) restoreSnapshot(second.core, snapshot);
      expect(await stored(second)).toEqual([[name, 'x']]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a served API', () => {
  it('keeps every such key, and rejects every such content type', async () => {
    const api = await servedApi();
    try {
      const data = keyed(FOREIGN_NAMES.map((name) => [name, 'x']));
      const made = await api.ask(MAPS, { method: 'POST', body: configMap(data) });
      expect(Object.keys(made.json['data'] ?? {}).sort()).toEqual([...FOREIGN_NAMES].sort());
      const codes = FOREIGN_NAMES.map(async (name) => {
        const ask = { method: 'PATCH', body: {}, headers: { 'content-type': name } } as const;
        return (await api.ask(`${MAPS}/c`, ask)).code;
      });
      expect(new Set(await Promise.all(codes))).toEqual(new Set([415]));
    } finally {
      await api.close();
    }
  });
});

describe.each(FOREIGN_LABELS)('the key %s', (name) => {
  it.each(['labels', 'annotations'] as const)('is returned as one of %s', async (map) => {
    const { metadata } = await make(apiUnderTest(), {}, { [map]: keyed([[name, 'x']]) });
    expect(Object.entries(metadata[map] ?? {})).toEqual([[name, 'x']]);
  });

  it('selects objects as a label', async () => {
    const under = apiUnderTest();
    await make(under, {}, { labels: { other: 'x' } });
    const selected = async (selector: string): Promise<number> => {
      const list = await done(under.api.get(`${MAPS}?labelSelector=${encodeURIComponent(selector)}`));
      return (list['items'] as readonly unknown[]).length;
    };
    const counts = [name, `!${name}`, `${name}!=x`, `${name} notin (x)`, `${name}=x`, `${name}>0`, `${name} in (x)`];
    expect(await Promise.all(counts.map(selected))).toEqual([0, 1, 1, 1, 0, 0, 0]);
  });
});

describe.each(NO_LABELS)('the key %s', (name) => {
  it.each(['labels', 'annotations'] as const)('is rejected as one of %s', async (map) => {
    const made = apiUnderTest().api.create(MAPS, configMap({}, { [map]: keyed([[name, 'x']]) }));
    expect(await refusal(made)).toContain(`metadata.${map}: Invalid value: "${name}"`);
  });
});
