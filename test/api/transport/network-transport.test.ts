import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { ApiFault, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent } from '../../../src/api/api-transport.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import type { Identity, IdentitySource } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from '../../../src/api/transport/network-transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let handler: Handler;
let transport: ApiTransport;
let token: string;
let distrusted: number;
const sockets = new Set<Socket>();
/** In earnest these are minutes. */
const IDLE_MS = 300;

const identity = (): Identity => ({
  server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
  proxyUrl: undefined,
  tls: { ca: undefined, certificate: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false },
  headers: { authorization: `Bearer ${token}` },
});

beforeEach(async () => {
  token = 'one';
  distrusted = 0;
  server = createServer((request, response) => handler(request, response)).listen(0, '127.0.0.1');
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server, 'listening');
  const source: IdentitySource = {
    read: () => Promise.resolve(identity()),
    discardCredentials: () => {
      distrusted += 1;
      token = 'two';
    },
  };
  transport = networkTransport({
    source,
    open: openConnections,
    clock: systemClock,
    log: silentLog,
    userAgent: 'test',
    idleMs: () => IDLE_MS,
  });
});

afterEach(async () => {
  transport.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const get = (path = '/api/v1/nodes/a'): ApiRequest => ({ verb: 'get', path, priority: 'object' });
const json = (response: ServerResponse, code: number, body: unknown, headers = {}): void => {
  response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};

interface Watched {
  readonly events: readonly WatchEvent[];
  readonly fault: ApiFault | undefined;
}
const watched = (path: string): Promise<Watched> =>
  new Promise((resolve) => {
    const events: WatchEvent[] = [];
    transport.watch(path, {
      events: (some) => void events.push(...some),
      ended: (fault) => resolve({ events, fault }),
    });
  });

describe('a call over the network', () => {
  it("is sent below the server's path, with credentials and patch type", async () => {
    let seen: object = {};
    handler = (request, response) => {
      const { method, url, headers } = request;
      seen = { method, url, auth: headers.authorization, type: headers['content-type'] };
      json(response, 200, { kind: 'Pod' });
    };
    const path = '/api/v1/namespaces/a/pods/b/status';
    const outcome = await transport.call(
      { verb: 'patch', path, body: { a: 1 }, patchType: 'merge', priority: 'status' },
      5_000,
    );
    expect(outcome).toEqual({ ok: true, value: { kind: 'Pod' } });
    expect(seen).toEqual({
      method: 'PATCH',
      url: `/prefix${path}`,
      auth: 'Bearer one',
      type: 'application/merge-patch+json',
    });
  });

  it('keeps its connections for later calls', async () => {
    const ports = new Set<number | undefined>();
    handler = (request, response) => {
      ports.add(request.socket.remotePort);
      json(response, 200, {});
    };
    for (let turn = 0; turn < 20; turn += 1) await transport.call(get(), 5_000);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each([
    {
      rule: 'the reason and message of a Status',
      code: 409,
      headers: {},
      body: { kind: 'Status', reason: 'Conflict', message: 'changed' },
      fault: { kind: 'refused', code: 409, reason: 'Conflict', message: 'changed' },
    },
    {
      rule: 'how long to wait',
      code: 429,
      headers: { 'retry-after': '7' },
      body: {},
      fault: { kind: 'refused', code: 429, reason: 'TooManyRequests', retryAfterMs: 7_000 },
    },
    {
      rule: 'a reason if a proxy gave none',
      code: 503,
      headers: {},
      body: 'upstream is away',
      fault: { kind: 'refused', code: 503, reason: 'ServiceUnavailable' },
    },
  ])('that is rejected has $rule', async ({ code, headers, body, fault }) => {
    handler = (_request, response) => json(response, code, body, headers);
    expect(await transport.call(get(), 5_000)).toMatchObject({ ok: false, fault });
  });

  it('keeps its connection when objects are deleted, which has a body', async () => {
    let opened = 0;
    server.on('connection', () => (opened += 1));
    handler = (request, response) => void request.resume().on('end', () => json(response, 200, {}));
    for (let count = 0; count < 5; count += 1) {
      const options = { gracePeriodSeconds: 0 };
      await transport.call({ verb: 'delete', path: '/api/v1/pods/a', body: options, priority: 'status' }, 1_000);
    }
    expect(opened).toBeLessThanOrEqual(2);
  });

  it('ends at its deadline, without an answer or with a part of it', async () => {
    handler = (_request, response) => void response.writeHead(200).write('{');
    expect(await transport.call(get(), 50)).toMatchObject({ ok: false, fault: { kind: 'timed-out' } });
  });

  it('over a silent connection ends at its deadline, and the next call uses another', async () => {
    const mute = createTcpServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const there = { ...identity(), server: `https://127.0.0.1:${(mute.address() as AddressInfo).port}` };
    const stuck = networkTransport({
      source: { read: () => Promise.resolve(there), discardCredentials() {} },
      open: openConnections,
      clock: systemClock,
      log: silentLog,
      userAgent: 'test',
    });
    const outcomes = await Promise.all([stuck.call(get(), 50), stuck.call(get(), 100)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false, fault: { kind: 'timed-out' } });
    stuck.close();
    for (const socket of sockets) socket.destroy();
    mute.close();
    await once(mute, 'close');
  });

  it('succeeds again after an unanswered call', async () => {
    handler = () => {};
    expect(await transport.call(get(), 50)).toMatchObject({ ok: false, fault: { kind: 'timed-out' } });
    handler = (_request, response) => json(response, 200, { kind: 'Node' });
    expect(await transport.call(get(), 5_000)).toEqual({ ok: true, value: { kind: 'Node' } });
  });

  it.each([
    { rule: 'an event', request: { verb: 'create', path: '/a', body: {}, priority: 'event' } },
    { rule: 'a deleted object', request: { verb: 'delete', path: '/a', body: {}, priority: 'status' } },
  ] as const)('for $rule is not parsed, since it is not used', async ({ request }) => {
    handler = (_request, response) => json(response, 200, { kind: 'Status' });
    expect(await transport.call(request, 1_000)).toEqual({ ok: true, value: undefined });
    handler = (_request, response) => void response.end('<html>');
    expect(await transport.call(request, 1_000)).toMatchObject({ ok: false, fault: { kind: 'unreadable' } });
  });

  it('whose answer is not JSON is unreadable', async () => {
    handler = (_request, response) => void response.end('<html>');
    expect(await transport.call(get(), 5_000)).toMatchObject({ ok: false, fault: { kind: 'unreadable' } });
  });

  it('whose connection breaks is unreachable', async () => {
    handler = (request) => void request.socket.destroy();
    expect(await transport.call(get(), 5_000)).toMatchObject({ ok: false, fault: { kind: 'unreachable' } });
  });

  it('to a closed port is unreachable, with the reason', async () => {
    const port = (server.address() as AddressInfo).port;
    const there = identity();
    const source = { read: () => Promise.resolve(there), discardCredentials() {} };
    const lost = networkTransport({
      source,
      open: openConnections,
      clock: systemClock,
      log: silentLog,
      userAgent: 'test',
    });
    server.close();
    const outcome = await lost.call(get(), 5_000);
    expect(outcome).toMatchObject({ ok: false, fault: { kind: 'unreachable' } });
    expect(outcome.ok || outcome.fault.message).toContain('ECONNREFUSED');
    lost.close();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  });

  it('with rejected credentials is repeated once with fresh credentials', async () => {
    handler = ({ headers }, response) => json(response, headers.authorization === 'Bearer two' ? 200 : 401, {});
    expect(await transport.call(get(), 5_000)).toEqual({ ok: true, value: {} });
    expect(distrusted).toBe(1);
  });
});

describe('a watch over the network', () => {
  it('delivers its events in order, and ends without a fault when the server ends it', async () => {
    handler = (_request, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED","object":{"a":1}}\n{"type":"MODI');
      response.end('FIED","object":{"a":2}}\n');
    };
    expect(await watched('/w?watch=true')).toEqual({
      events: [
        { type: 'ADDED', object: { a: 1 } },
        { type: 'MODIFIED', object: { a: 2 } },
      ],
      fault: undefined,
    });
  });

  it.each([
    { rule: 'that is not JSON', line: '{"type":' },
    { rule: 'that is not an event', line: '{"type":"ADDED"}' },
  ])('ends with a fault at a line $rule, after its earlier events', async ({ line }) => {
    handler = (_request, response) =>
      void response.writeHead(200).write(`{"type":"ADDED","object":{}}\n${line}\n{"type":"ADDED","object":{}}\n`);
    const { events, fault } = await watched('/w?watch=true');
    expect(events).toHaveLength(1);
    expect(fault).toMatchObject({ kind: 'unreadable' });
  });

  it('reports a rejection', async () => {
    handler = (_request, response) => json(response, 410, { kind: 'Status', reason: 'Expired', message: 'too old' });
    expect(await watched('/w')).toEqual({
      events: [],
      fault: { kind: 'refused', code: 410, reason: 'Expired', message: 'too old' },
    });
  });

  it('that breaks within a line loses only that line', async () => {
    handler = (request, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":{}}\n{"type"', () => request.socket.destroy());
    };
    const { events, fault } = await watched('/w');
    expect(events).toHaveLength(1);
    expect(fault).toMatchObject({ kind: 'unreachable' });
  });

  it('that is silent for too long ends, after its earlier events', async () => {
    handler = (_request, response) => void response.writeHead(200).write('{"type":"ADDED","object":{}}\n');
    const { events, fault } = await watched('/w?watch=true');
    expect(events).toHaveLength(1);
    expect(fault).toMatchObject({ kind: 'timed-out' });
  });

  it('without a listener is closed silently', async () => {
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    handler = (request, response) => {
      response.writeHead(200).write('\n');
      request.socket.on('close', () => closed.resolve());
      opened.resolve();
    };
    let words = 0;
    const close = transport.watch('/w', { events: () => void words++, ended: () => void words++ });
    await opened.promise;
    close();
    await closed.promise;
    expect(words).toBe(0);
  });

  it('does not use the connections of calls', async () => {
    handler = (request, response) => {
      if (request.url?.includes('watch') === true) response.writeHead(200).write('\n');
      else json(response, 200, {});
    };
    const closes = Array.from({ length: 80 }, () => transport.watch('/w?watch=true', { events() {}, ended() {} }));
    expect(await transport.call(get(), 5_000)).toEqual({ ok: true, value: {} });
    for (const close of closes) close();
  });
});
