import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LONGEST_TARGET } from '../../src/serving/request-target.ts';
import { head, readRaw, sendRaw } from './raw-request.ts';
import { ask, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

const CLOSE = 'Connection: close';
/** Words that would reveal the server's implementation. */
const inside = /FST_|fastify|node(\.js)?[/ ]|statusCode|HPE_|ERR_|\.ts\b|"error"/i;

describe('for an unidentified client, a server', () => {
  let secure: ServerUnderTest;
  let open: ServerUnderTest;
  beforeAll(async () => {
    secure = await serverUnderTest();
    secure.reviews.tokens.set('good', { username: 'apiserver', groups: [] });
    secure.reviews.rights.add('apiserver *');
    // As the read-only and the healthz port are.
    open = await serverUnderTest({ plain: true, unguarded: true });
  });
  afterAll(() => Promise.all([secure.server.close(), open.server.close()]));

  const onBoth = async (bytes: string) => {
    const guarded = await sendRaw(bytes, { port: secure.server.port });
    const unguarded = await sendRaw(bytes, { port: open.server.port, plain: true });
    return { guarded, unguarded };
  };

  it.each([
    { what: 'a broken escape', line: 'GET /%zz', guarded: 401, unguarded: 404 },
    { what: 'an escaped NUL', line: 'GET /pods%00', guarded: 401, unguarded: 404 },
    { what: 'a NUL', line: 'GET /po\0ds', guarded: 400, unguarded: 400 },
    { what: 'a space', line: 'GET /po ds', guarded: 400, unguarded: 400 },
    { what: 'an escaped slash', line: 'GET /healthz%2fping', guarded: 401, unguarded: 404 },
    { what: 'a path upwards', line: 'GET /healthz/../pods', guarded: 401, unguarded: 404 },
    { what: 'many slashes', line: 'GET //healthz//', guarded: 401, unguarded: 200 },
    { what: 'a whole URL', line: 'GET https://n1/healthz', guarded: 401, unguarded: 200 },
    { what: 'a whole URL without a path', line: 'GET https://n1?x=1', guarded: 401, unguarded: 404 },
    { what: 'no path', line: 'OPTIONS *', guarded: 400, unguarded: 400 },
    { what: 'another method', line: 'TRACE /pods', guarded: 401, unguarded: 405 },
    { what: 'a tunnel', line: 'CONNECT n2:22', guarded: 405, unguarded: 405 },
    { what: 'an unknown method', line: 'FETCH /pods', guarded: 400, unguarded: 400 },
    { what: 'no HTTP', line: '\x16\x03\x01', guarded: 400, unguarded: 400 },
    { what: 'the longest target', line: `GET /${'a'.repeat(LONGEST_TARGET - 1)}`, guarded: 401, unguarded: 404 },
    { what: 'a longer target', line: `GET /${'a'.repeat(LONGEST_TARGET)}`, guarded: 414, unguarded: 414 },
    { what: 'a long query', line: `GET /pods?${'a'.repeat(LONGEST_TARGET)}`, guarded: 414, unguarded: 414 },
  ])('answers $what in plain words, with $guarded, or $unguarded without authentication', async (given) => {
    const { guarded, unguarded } = await onBoth(head(given.line, [CLOSE]));
    expect([readRaw(guarded).status, readRaw(unguarded).status]).toEqual([given.guarded, given.unguarded]);
    for (const answer of [guarded, unguarded]) {
      expect(answer).toMatch(/^HTTP\/1\.1 \d{3} [^]*content-type: text\/plain; charset=utf-8\r\n/i);
      expect(answer).not.toMatch(inside);
    }
  });

  it.each([
    {
      what: 'headers longer than a mebibyte',
      bytes: head('GET /pods', [`X: ${'x'.repeat(1024 * 1024)}`]),
      status: 431,
    },
    { what: 'two lengths', bytes: head('POST /pods', ['Content-Length: 1', 'Content-Length: 2']), status: 400 },
    {
      what: 'a length and pieces',
      bytes: head('POST /pods', ['Content-Length: 1', 'Transfer-Encoding: chunked']),
      status: 400,
    },
    { what: 'a header without a name', bytes: head('GET /pods', [': x']), status: 400 },
    { what: 'no host', bytes: 'GET /pods HTTP/1.1\r\nConnection: close\r\n\r\n', status: 400 },
  ])('rejects $what with $status', async ({ bytes, status }) => {
    const { guarded, unguarded } = await onBoth(bytes);
    expect([readRaw(guarded).status, readRaw(unguarded).status]).toEqual([status, status]);
    expect(`${guarded}${unguarded}`).not.toMatch(inside);
  });

  it('rejects a million slashes without a search for the last one', async () => {
    const { guarded, unguarded } = await onBoth(head(`GET /a${'/'.repeat(1_000_000)}b`, [CLOSE]));
    expect([readRaw(guarded).status, readRaw(unguarded).status]).toEqual([414, 414]);
  });

  it('answers and closes without reading an endless body', async () => {
    const bytes = head('POST /healthz', ['Transfer-Encoding: chunked']) + `10000\r\n${'x'.repeat(0x1_00_00)}\r\n`;
    expect(readRaw(await sendRaw(bytes, { port: open.server.port, plain: true })).status).toBe(200);
    expect(readRaw(await sendRaw(bytes, { port: secure.server.port })).status).toBe(401);
  });

  it('keeps a connection whose request came with a short body', async () => {
    const bytes = `${head('POST /healthz', ['Content-Length: 5'])}hello${head('GET /healthz', [CLOSE])}`;
    const answers = await sendRaw(bytes, { port: open.server.port, plain: true });
    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('closes a connection that pipelines too much before its answer', async () => {
    secure.reviews.hold = 'tokens';
    const many = head('GET /pods', ['Authorization: Bearer unknown']).repeat(100);
    expect(await sendRaw(many, { port: secure.server.port })).toBe('');
    secure.reviews.release();
    expect((await ask(secure, '/pods', { token: 'good' })).status).toBe(200);
  });
});

describe('a query with a question mark in it', () => {
  it('is read to its end', async () => {
    const node = await serverUnderTest({ anonymous: true });
    node.reviews.rights.add('system:anonymous *');
    await ask(node, '/run/a/web/main?cmd=a?b', { method: 'POST' });
    await node.server.close();
    expect(node.calls.at(-1)).toMatchObject({ method: 'ExecSync', request: { cmd: ['a?b'] } });
  });
});

describe('silent connections', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  it('are closed for others, the oldest of the address with the most first', async () => {
    const node = await serverUnderTest({ plain: true, settings: { mostUnidentified: 20 } });
    ends.push(() => node.server.close());
    node.reviews.tokens.set('good', { username: 'apiserver', groups: [] });
    node.reviews.rights.add('apiserver *');
    const { port } = node.server;
    const opened = async (localAddress: string): Promise<Socket> => {
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      ends.push(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    };
    const known = await opened('127.0.0.3');
    known.write(head('GET /pods', ['Authorization: Bearer good']));
    const [answer] = (await once(known, 'data')) as [Buffer];
    expect(readRaw(answer.toString()).status).toBe(200);
    const silent = await opened('127.0.0.2');
    const many: Socket[] = [];
    for (let count = 0; count < 60; count++) many.push(await opened('127.0.0.1'));
    await expect.poll(() => many.filter((socket) => socket.closed).length).toBe(41);
    expect(many.slice(0, 41).every((socket) => socket.closed)).toBe(true);
    expect([known.closed, silent.closed]).toEqual([false, false]);
  });
});
