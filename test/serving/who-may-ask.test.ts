import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, ClientCa, serverUnderTest, type AskOptions, type ServerUnderTest } from './server-under-test.ts';

let node: ServerUnderTest;
let identities: Readonly<Record<string, AskOptions>>;

beforeAll(async () => {
  node = await serverUnderTest();
  const { reviews, ca } = node;
  reviews.tokens.set('prometheus', { username: 'prometheus', groups: [] });
  reviews.tokens.set('nobody', { username: 'nobody', groups: [] });
  for (const right of ['apiserver *', 'prometheus metrics', 'prometheus stats', 'viewer pods', 'old-viewer proxy']) {
    reviews.rights.add(right);
  }
  reviews.tokens.set('viewer', { username: 'viewer', groups: [] });
  reviews.tokens.set('old-viewer', { username: 'old-viewer', groups: [] });
  const foreign = await ClientCa.make();
  identities = {
    'the API server': { certificate: await ca.issue('CN=apiserver, O=system:masters') },
    'prometheus, by token': { token: 'prometheus' },
    'a viewer of pods': { token: 'viewer' },
    'a holder of proxy': { token: 'old-viewer' },
    'somebody without rights': { token: 'nobody' },
    'a token that is not one': { token: 'made-up' },
    'nobody at all': {},
    'an expired certificate': { certificate: await ca.issue('CN=apiserver, O=system:masters', Date.UTC(2021, 0)) },
    'a certificate of a foreign CA': { certificate: await foreign.issue('CN=apiserver, O=system:masters') },
    'a certificate that somebody made himself': {
      certificate: await ClientCa.selfMade('CN=apiserver, O=system:masters'),
    },
    'a wrong certificate and a good token': { certificate: await foreign.issue('CN=x'), token: 'prometheus' },
  };
});

afterAll(() => node.server.close());

const paths = {
  pods: '/pods',
  metrics: '/metrics',
  healthz: '/healthz',
  configz: '/configz',
  logs: '/containerLogs/a/web/main',
  exec: '/exec/a/web/main?output=1&command=ls',
  nothing: '/nothing',
} as const;

/** The expected status of each identity for each path. */
const expected: Readonly<Record<string, Readonly<Record<keyof typeof paths, number>>>> = {
  'the API server': { pods: 200, metrics: 200, healthz: 200, configz: 200, logs: 200, exec: 400, nothing: 404 },
  'prometheus, by token': { pods: 403, metrics: 200, healthz: 403, configz: 403, logs: 403, exec: 403, nothing: 403 },
  'a viewer of pods': { pods: 200, metrics: 403, healthz: 403, configz: 403, logs: 403, exec: 403, nothing: 403 },
  'a holder of proxy': { pods: 200, metrics: 403, healthz: 200, configz: 200, logs: 200, exec: 400, nothing: 404 },
  'somebody without rights': {
    pods: 403,
    metrics: 403,
    healthz: 403,
    configz: 403,
    logs: 403,
    exec: 403,
    nothing: 403,
  },
  'a token that is not one': {
    pods: 401,
    metrics: 401,
    healthz: 401,
    configz: 401,
    logs: 401,
    exec: 401,
    nothing: 401,
  },
  'nobody at all': { pods: 401, metrics: 401, healthz: 401, configz: 401, logs: 401, exec: 401, nothing: 401 },
  'an expired certificate': { pods: 401, metrics: 401, healthz: 401, configz: 401, logs: 401, exec: 401, nothing: 401 },
  'a certificate of a foreign CA': {
    pods: 401,
    metrics: 401,
    healthz: 401,
    configz: 401,
    logs: 401,
    exec: 401,
    nothing: 401,
  },
  'a certificate that somebody made himself': {
    pods: 401,
    metrics: 401,
    healthz: 401,
    configz: 401,
    logs: 401,
    exec: 401,
    nothing: 401,
  },
  'a wrong certificate and a good token': {
    pods: 401,
    metrics: 401,
    healthz: 401,
    configz: 401,
    logs: 401,
    exec: 401,
    nothing: 401,
  },
};

describe("the kubelet's server", () => {
  it.each(
    Object.entries(expected).flatMap(([who, answers]) =>
      Object.entries(answers).map(([what, status]) => [who, what as keyof typeof paths, status] as const),
    ),
  )('answers %s on %s with %d', async (who, what, status) => {
    node.files.append('/var/log/pods/a_web_u1/main/0.log', '');
    expect((await ask(node, paths[what], identities[who])).status).toBe(status);
  });

  it('reports the denied user and access', async () => {
    const { text } = await ask(node, '/pods', { token: 'nobody' });
    expect(text).toBe('Forbidden (user=nobody, verb=get, resource=nodes, subresource(s)=[pods proxy])\n');
  });

  it('denies access through another spelling of a path', async () => {
    for (const path of ['//pods', '/%70ods', '/metrics/../pods', '/metrics/%2e%2e/pods', '/stats%2f..%2fpods']) {
      expect([path, (await ask(node, path, { token: 'prometheus' })).status]).not.toEqual([path, 200]);
    }
  });

  it('asks the API server once for a recent answer', async () => {
    await ask(node, '/metrics', { token: 'prometheus' });
    const before = node.reviews.asked;
    await ask(node, '/metrics', { token: 'prometheus' });
    expect(node.reviews.asked).toBe(before);
  });

  it('serves only known clients while the API server is unreachable', async () => {
    await ask(node, '/metrics', { token: 'prometheus' });
    node.reviews.isDown = true;
    node.reviews.tokens.set('new', { username: 'apiserver', groups: [] });
    expect((await ask(node, '/metrics', { token: 'new' })).status).toBe(401);
    expect((await ask(node, '/stats/summary', { certificate: await node.ca.issue('CN=late') })).status).toBe(500);
    expect((await ask(node, '/metrics', { token: 'prometheus' })).status).toBe(200);
    node.reviews.isDown = false;
  });

  it('accepts headers of half a mebibyte, rejects headers above one mebibyte, and keeps serving', async () => {
    const large = await ask(node, '/metrics', { token: 'prometheus', headers: { 'x-large': 'x'.repeat(500_000) } });
    expect(large.status).toBe(200);
    const huge = await ask(node, '/pods', { headers: { 'x-huge': 'x'.repeat(1_100_000) } }).catch(() => ({
      status: 431,
    }));
    expect(huge.status).toBe(431);
    expect((await ask(node, '/metrics', { token: 'prometheus' })).status).toBe(200);
  });
});

describe('a server that takes requests without credentials', () => {
  it('accepts tokens without an audience, and still rejects invalid tokens', async () => {
    const open = await serverUnderTest({ anonymous: true });
    open.reviews.rights.add('system:anonymous healthz');
    const foreign = await ClientCa.make();
    expect((await ask(open, '/healthz')).status).toBe(200);
    expect((await ask(open, '/pods')).status).toBe(403);
    expect((await ask(open, '/healthz', { token: 'made-up' })).status).toBe(401);
    expect((await ask(open, '/healthz', { certificate: await foreign.issue('CN=x') })).status).toBe(401);
    await open.server.close();
  });
});
