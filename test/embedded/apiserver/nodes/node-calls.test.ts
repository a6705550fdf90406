import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, connect, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/actor/clock.ts';
import { administrator } from '../../../../src/embedded/apiserver/serve.ts';
import { selfSignedCertificate } from '../../../../src/serving/server-certificate.ts';
import { readRaw } from '../../../serving/raw-request.ts';
import { aPod } from '../api-under-test.ts';
import { type ServedApi, servedApi } from '../served-api.ts';

let api: ServedApi;
let node: Server;
/** The bytes sent to the node on its newest connection, and the node's answer to the first of them. */
let sent = '';
let answer = '';

beforeAll(async () => {
  const names = { hostname: 'n', addresses: ['127.0.0.1'] };
  node = createServer(await selfSignedCertificate(names, systemClock.now()), (socket: TLSSocket) => {
    sent = '';
    socket.on('error', () => {});
    socket.once('data', () => socket.write(answer));
    socket.on('data', (piece: Buffer) => (sent += piece.toString()));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  api = await servedApi();
  const make = (path: string, body: object) => {
    const made = api.server.core.handle({ method: 'POST', path, body, user: administrator });
    if (made.type !== 'object') throw new Error(JSON.stringify(made));
  };
  const { port } = node.address() as AddressInfo;
  make('/api/v1/nodes', {
    metadata: { name: 'n' },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  });
  const pod = aPod('web') as { readonly spec: object }; // the builder's own shape
  make('/api/v1/namespaces/default/pods', { ...pod, spec: { ...pod.spec, nodeName: 'n' } });
});
beforeEach(() => (sent = ''));
afterAll(async () => {
  await api.close();
  node.close();
});

/** Returns the response to an upgrade request, and to the bytes sent right behind that request. */
async function asked(path: string, behind = ''): Promise<{ readonly text: () => string; readonly socket: TLSSocket }> {
  const socket = connect({ host: '127.0.0.1', port: api.server.http.port, rejectUnauthorized: false });
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (piece: Buffer) => (text += piece.toString()));
  await once(socket, 'secureConnect');
  const headers = [
    'Host: a',
    `Authorization: Bearer ${api.server.adminToken}`,
    'Connection: Upgrade',
    'Upgrade: SPDY/3.1',
  ];
  socket.write(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${behind}`);
  return { text: () => text, socket };
}

const EXEC = '/api/v1/namespaces/default/pods/web/exec?command=ls&stdout=true';
const BEHIND = 'GET /configz HTTP/1.1\r\nHost: n\r\n\r\n';

describe('a stream through the API server', () => {
  it('begins once the node has switched protocols, with the bytes that the client has sent by then', async () => {
    answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nfirst';
    const { text, socket } = await asked(EXEC, 'early');
    await expect.poll(text, { timeout: 10_000 }).toBe(answer);
    await expect.poll(() => sent, { timeout: 10_000 }).toMatch(/^POST \/exec\/default\/web\/[^]*\r\n\r\nearly$/);
    expect(sent).not.toMatch(/authorization/i);
    socket.destroy();
  });

  it.each([
    { what: 'refuses', path: EXEC },
    { what: 'answers in plain HTTP', path: '/api/v1/nodes/n/proxy/pods' },
  ])('does not begin if the node $what, and no further bytes of the client reach the node', async ({ path }) => {
    answer = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\nno\n';
    const { text, socket } = await asked(path, BEHIND);
    socket.write(BEHIND);
    await once(socket, 'close');
    expect(readRaw(text())).toEqual({ status: 400, body: 'no\n' });
    expect(sent.match(/ HTTP\/1\.1\r\n/g)).toHaveLength(1);
    expect(sent).not.toContain('configz');
  });

  it('is requested with a single request line, whatever the path contains', async () => {
    answer = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
    const { socket } = await asked('/api/v1/nodes/n/proxy/a%0d%0aX:%201%0d%0a%0d%0aGET%20/b');
    await once(socket, 'close');
    expect(sent.split('\r\n')[0]).toBe('POST /a%0D%0AX%3A%201%0D%0A%0D%0AGET%20/b HTTP/1.1');
  });
});

describe('an upgrade request for another path', () => {
  it.each(['/api/v1/namespaces/default/pods', '/version', '/apis'])('is ignored at %s', async (path) => {
    const plain = await api.ask(path);
    const socket = connect({ host: '127.0.0.1', port: api.server.http.port, rejectUnauthorized: false });
    let text = '';
    socket.on('data', (piece: Buffer) => (text += piece.toString()));
    const headers = [
      'Host: a',
      `Authorization: Bearer ${api.server.adminToken}`,
      'Connection: Upgrade, close',
      'Upgrade: h2c',
    ];
    socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    await once(socket, 'close');
    expect(readRaw(text).status).toBe(plain.code);
  });
});
