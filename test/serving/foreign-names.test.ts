import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetricFamilies } from '../../src/metrics/metric-families.ts';
import { serverMetrics } from '../../src/serving/server-metrics.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';
import { head, readRaw, sendRaw } from './raw-request.ts';
import { LOG_PATH, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

/** Matches text made from a member that every object inherits. */
const INHERITED = /\[native code\]|\[object |=>/;

const PATHS = [
  '/pods',
  '/containerLogs/a/web/main',
  '/exec/a/web/main',
  '/stats/summary',
  '/metrics',
  '/configz',
  '/healthz',
];

/** The part of a request that carries a name: a query, or header lines. */
interface Carried {
  readonly query?: string;
  readonly headers?: readonly string[];
}

/** Places that no endpoint reads, so their content has no effect. */
const unread: Readonly<Record<string, (name: string) => Carried>> = {
  'a query key': (name) => ({ query: `${name}=1` }),
  'a query key without a value': (name) => ({ query: name }),
  'a query key that is there twice': (name) => ({ query: `${name}=1&${name}=x` }),
  'a query key of a key': (name) => ({ query: `${name}[${name}]=1&a.${name}=1` }),
  'the value of an unknown query key': (name) => ({ query: `x=${name}` }),
  'a header': (name) => ({ headers: [`${name}: 1`] }),
  'a header that is there twice': (name) => ({ headers: [`${name}: 1`, `${name}: x`] }),
  'the value of a header': (name) => ({ headers: [`X-Word: ${name}`] }),
  'what the client accepts': (name) => ({
    headers: [`Accept: ${name}/${name}`, `Accept-Encoding: ${name}`, `Accept-Language: ${name}`],
  }),
  'the type of the body': (name) => ({ headers: [`Content-Type: application/${name}; ${name}=${name}`] }),
  'a cookie': (name) => ({ headers: [`Cookie: ${name}=${name}`] }),
  'the protocol of an upgrade': (name) => ({
    headers: [`Upgrade: ${name}`, `Sec-WebSocket-Protocol: ${name}`, `X-Stream-Protocol-Version: ${name}`],
  }),
};

/** Targets that are read: a foreign name there is a word like any other. */
const read: readonly ((name: string) => string)[] = [
  (name) => `/${name}`,
  (name) => `/healthz/${name}`,
  (name) => `/healthz?exclude=${name}&verbose=${name}`,
  (name) => `/metrics/${name}`,
  (name) => `/stats/${name}`,
  (name) => `/stats/summary?only_cpu_and_memory=${name}`,
  (name) => `/logs/${name}`,
  (name) => `/logs?query=${name}&boot=${name}`,
  (name) => `/debug/pprof/${name}`,
  (name) => `/debug/pprof/profile?seconds=${name}&thread=${name}`,
  (name) => `/containerLogs/${name}/web/main`,
  (name) => `/containerLogs/a/${name}/main`,
  (name) => `/containerLogs/a/web/${name}`,
  ...['follow', 'previous', 'timestamps', 'tailLines', 'tail', 'limitBytes', 'sinceSeconds', 'sinceTime', 'stream'].map(
    (key) => (name: string) => `/containerLogs/a/web/main?${key}=${name}`,
  ),
  (name) => `/exec/a/web/main?command=${name}&output=${name}&tty=${name}`,
  (name) => `/exec/${name}/${name}/${name}?command=ls&output=1`,
  (name) => `/portForward/a/${name}?port=${name}`,
];

const ORDINARY = 'ordinary';

let node: ServerUnderTest;
let runtime: Server;
/** Heads of the streams that the runtime was asked to begin. */
const heads: string[] = [];

beforeAll(async () => {
  runtime = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      heads.push(bytes.toString('latin1'));
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(runtime, 'listening');
  node = await serverUnderTest({
    plain: true,
    streamUrl: `http://127.0.0.1:${(runtime.address() as AddressInfo).port}/stream/token`,
    metrics: serverMetrics(new MetricFamilies()),
  });
  node.reviews.tokens.set('good', { username: 'apiserver', groups: [] });
  node.reviews.rights.add('apiserver *');
  node.files.append(LOG_PATH, '2026-01-01T00:00:00.000000000Z stdout F a line\n');
});
afterAll(async () => {
  await node.server.close();
  runtime.close();
});

async function asked(target: string, { query, headers = [] }: Carried = {}, who = 'Bearer good') {
  const connection = headers.some((line) => line.startsWith('Upgrade: ')) ? 'close, Upgrade' : 'close';
  const line = `GET ${target}${query === undefined ? '' : `?${query}`}`;
  const bytes = head(line, [`Connection: ${connection}`, `Authorization: ${who}`, ...headers]);
  return readRaw(await sendRaw(bytes, { port: node.server.port, plain: true }));
}

/** Checks that the answer is the same as with any other word. */
const without = (name: string, { status, body }: { readonly status: number; readonly body: string }) => ({
  status,
  body: body.replaceAll(ORDINARY, 'NAME').replaceAll(name, 'NAME'),
});

describe.each(FOREIGN_NAMES)('a request with %s', (name) => {
  it.each(Object.entries(unread))('as %s has no effect', async (_, carry) => {
    const answers = await Promise.all(PATHS.map(async (path) => [path, await asked(path, carry(name))] as const));
    const plain = await Promise.all(PATHS.map(async (path) => [path, await asked(path)] as const));
    expect(answers).toEqual(plain);
  });

  it('where an endpoint reads a word is answered as with any other', async () => {
    for (const target of read) {
      const answer = await asked(target(name));
      expect(answer.body).not.toMatch(INHERITED);
      expect([target(name), without(name, answer)]).toEqual([
        target(name),
        without(name, await asked(target(ORDINARY))),
      ]);
      expect(answer.status).not.toBe(500);
    }
  });

  it.each(['Bearer NAME', 'NAME', 'NAME good', 'Basic NAME'])(
    'as the credentials %s is not authenticated',
    async (credentials) => {
      const who = credentials.replace('NAME', name);
      expect(await asked('/pods', {}, who)).toEqual({ status: 401, body: 'Unauthorized\n' });
    },
  );

  it('as a command and a header of a stream reaches the runtime unchanged', async () => {
    const before = heads.length;
    const { status } = await asked(`/exec/a/web/main?output=1&command=${name}`, {
      headers: ['Upgrade: SPDY/3.1', `${name}: 1`, `X-Stream-Protocol-Version: ${name}`],
    });
    expect(status).toBe(101);
    expect(node.calls.at(-1)).toMatchObject({ method: 'Exec', request: { cmd: [name] } });
    expect(heads.slice(before)).toEqual([
      expect.stringContaining(`\r\n${name}: 1\r\nX-Stream-Protocol-Version: ${name}\r\n`),
    ]);
  });
});

describe('the server, after all of these requests', () => {
  it('answers, and has logged no failure', async () => {
    expect(await asked('/healthz')).toEqual({ status: 200, body: 'ok' });
    expect(node.warnings).toEqual([]);
  });
});
