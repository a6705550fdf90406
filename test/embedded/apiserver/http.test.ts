import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InjectedFault } from '../../../src/embedded/apiserver/http/fault-injection.ts';
import { aPod, podsOf } from './api-under-test.ts';
import { type ServedApi, servedApi } from './served-api.ts';

let api: ServedApi;
let fault: ((path: string) => InjectedFault | undefined) | undefined;

beforeAll(async () => {
  api = await servedApi({ faults: ({ path }) => fault?.(path) });
});
afterAll(() => api.close());

async function withFault<T>(injected: InjectedFault, what: () => Promise<T>): Promise<T> {
  fault = () => injected;
  try {
    return await what();
  } finally {
    fault = undefined;
  }
}

describe('authentication', () => {
  it.each(['/healthz', '/readyz', '/livez', '/version'])('serves %s without credentials', async (path) => {
    expect((await api.ask(path, { token: null })).code).toBe(200);
  });

  it.each([
    { who: 'nobody', token: null },
    { who: 'somebody with a token of another server', token: 'nonsense' },
  ])('serves nothing else to $who', async ({ token }) => {
    const { code, json } = await api.ask('/api/v1/pods', { token });
    expect([code, json['reason']]).toEqual([401, 'Unauthorized']);
  });

  it('takes the user from a client certificate', async () => {
    const { certificate, key } = await api.server.credentials({ username: 'system:node:n', groups: ['system:nodes'] });
    const dispatcher = new Agent({ connect: { ca: api.server.authority.certificate, cert: certificate, key } });
    const answer = await request(`${api.server.address}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await answer.body.json()).toMatchObject({
      status: { userInfo: { username: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] } },
    });
    await dispatcher.close();
  });

  it('accepts a service account’s token until the account is deleted', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts';
    await api.ask(path, { method: 'POST', body: { metadata: { name: 'bob' } } });
    const { json } = await api.ask(`${path}/bob/token`, { method: 'POST', body: { spec: {} } });
    const { token } = json['status'] as { token: string };
    const whoAmI = () =>
      api.ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {}, token });
    expect((await whoAmI()).json).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:bob' } },
    });
    await api.ask(`${path}/bob`, { method: 'DELETE' });
    expect((await whoAmI()).code).toBe(401);
  });
});

describe('a response', () => {
  it.each([
    {
      rule: 'rejects a body of an unknown content type',
      ask: { method: 'POST', body: 'x', headers: { 'content-type': 'application/cbor' } },
      code: 415,
      reason: 'UnsupportedMediaType',
    },
    {
      rule: 'rejects a body that is not JSON',
      ask: { method: 'POST', body: Buffer.from('{"a'), headers: { 'content-type': 'application/json' } },
      code: 400,
      reason: 'BadRequest',
    },
    {
      rule: 'rejects an Accept header without a supported type',
      ask: { headers: { accept: 'application/cbor' } },
      code: 406,
      reason: 'NotAcceptable',
    },
    {
      rule: 'rejects a body that is too large',
      ask: { method: 'POST', body: { a: 'x'.repeat(4_000_000) } },
      code: 413,
      reason: 'RequestEntityTooLarge',
    },
  ] as const)('$rule', async ({ ask, code, reason }) => {
    const { code: answered, json } = await api.ask(podsOf(), ask);
    expect([answered, json['reason'], json['kind']]).toEqual([code, reason, 'Status']);
  });

  it('warns of unknown fields', async () => {
    const body = { ...aPod('warned'), surprise: true };
    const { code, headers } = await api.ask(podsOf(), { method: 'POST', body });
    expect([code, headers['warning']]).toEqual([201, '299 - "unknown field \\"surprise\\""']);
  });

  it('is compressed when it is large and the client accepts that', async () => {
    const body = { metadata: { name: 'large' }, data: { text: 'x'.repeat(200_000) } };
    await api.ask('/api/v1/namespaces/default/configmaps', { method: 'POST', body });
    const open = await request(`${api.server.address}/api/v1/namespaces/default/configmaps/large`, {
      dispatcher: new Agent({ connect: { ca: api.server.authority.certificate } }),
      headers: { authorization: `Bearer ${api.server.adminToken}`, 'accept-encoding': 'gzip' },
    });
    expect(open.headers['content-encoding']).toBe('gzip');
    const sent = Buffer.from(await open.body.arrayBuffer());
    expect(sent.length).toBeLessThan(5000);
    expect(JSON.parse(gunzipSync(sent).toString())).toMatchObject(body);
  });

  it('lists the groups and resources for discovery', async () => {
    expect((await api.ask('/api')).json).toMatchObject({ versions: ['v1'] });
    const { groups } = (await api.ask('/apis')).json as { groups: readonly { name: string }[] };
    expect(groups.map(({ name }) => name)).toContain('coordination.k8s.io');
    const { resources } = (await api.ask('/api/v1')).json as { resources: readonly { name: string }[] };
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pods', 'pods/status', 'pods/binding', 'pods/log', 'bindings', 'serviceaccounts/token']),
    );
  });
});

describe('a watch', () => {
  it('sends a line for each event, as the event happens', async () => {
    const { body } = await api.open(`${podsOf()}?watch=true&fieldSelector=metadata.name%3Dseen`);
    const lines = createInterface(body)[Symbol.asyncIterator]();
    await api.ask(podsOf(), { method: 'POST', body: aPod('seen') });
    const next = async () => JSON.parse((await lines.next()).value as string) as { type: string };
    expect(await next()).toMatchObject({ type: 'ADDED', object: { kind: 'Pod', metadata: { name: 'seen' } } });
    await api.ask(`${podsOf()}/seen`, { method: 'DELETE' });
    expect([(await next()).type, (await next()).type]).toEqual(['MODIFIED', 'DELETED']);
    body.destroy();
  });

  it('whose client does not read delays no other request, and ends as expired when the client reads again', async () => {
    const served = await servedApi({ core: { historyLength: 20 } });
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const { body } = await served.open(`${configMaps}?watch=true`);
    const text = 'x'.repeat(100_000);
    for (let index = 0; index < 200; index += 1)
      await served.ask(configMaps, { method: 'POST', body: { metadata: { name: `c${index}` }, data: { text } } });
    let last = '';
    for await (const line of createInterface(body)) last = line;
    expect(JSON.parse(last)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    await served.close();
  });
});

describe('faults', () => {
  it('an overloaded server answers with Retry-After', async () => {
    const { code, headers, json } = await withFault({ type: 'answer', code: 429, retryAfterSeconds: 3 }, () =>
      api.ask('/api/v1/pods'),
    );
    expect([code, headers['retry-after'], json['reason']]).toEqual([429, '3', 'TooManyRequests']);
  });

  it.each([
    { when: 'before', code: 404 },
    { when: 'after', code: 200 },
  ] as const)('a connection is closed $when the request takes effect', async ({ when, code }) => {
    const body = { metadata: { name: `cut-${when}` } };
    const path = '/api/v1/namespaces/default/configmaps';
    await expect(withFault({ type: 'drop', when }, () => api.ask(path, { method: 'POST', body }))).rejects.toThrow(
      /closed|reset|socket|ECONNRESET/,
    );
    expect((await api.ask(`${path}/cut-${when}`)).code).toBe(code);
  });

  it('all connections can be closed, and clients reconnect', async () => {
    const { body } = await api.open(`${podsOf()}?watch=true`);
    const ended = once(body, 'error');
    body.resume();
    api.server.http.dropConnections();
    await ended;
    expect((await api.ask('/api/v1/pods')).code).toBe(200);
  });
});
