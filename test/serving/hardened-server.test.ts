import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { selfSignedCertificate } from '../../src/serving/server-certificate.ts';
import { manualClock } from '../support/manual-clock.ts';
import { ask, ClientCa, serverUnderTest, type ServerOptions, type ServerUnderTest } from './server-under-test.ts';

let node: ServerUnderTest;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function served(options: ServerOptions = {}): Promise<void> {
  node = await serverUnderTest(options);
  ends.push(() => node.server.close());
  node.reviews.rights.add('apiserver *');
  node.reviews.tokens.set('good', { username: 'apiserver', groups: [] });
}

describe('cached answers about a client', () => {
  it('are kept for two minutes: a revoked token is rejected after that', async () => {
    const clock = manualClock();
    await served({ clock });
    expect((await ask(node, '/pods', { token: 'good' })).status).toBe(200);
    node.reviews.tokens.delete('good');
    clock.advance(119_000);
    expect((await ask(node, '/pods', { token: 'good' })).status).toBe(200);
    clock.advance(2_000);
    expect((await ask(node, '/pods', { token: 'good' })).status).toBe(401);
  });

  it('are kept for five minutes when allowed, and for half a minute when denied', async () => {
    const clock = manualClock();
    await served({ clock });
    const certificate = await node.ca.issue('CN=somebody');
    const status = async (): Promise<number> => (await ask(node, '/pods', { certificate })).status;
    expect(await status()).toBe(403);
    node.reviews.rights.add('somebody pods');
    clock.advance(29_000);
    expect(await status()).toBe(403);
    clock.advance(2_000);
    expect(await status()).toBe(200);
    node.reviews.rights.delete('somebody pods');
    clock.advance(299_000);
    expect(await status()).toBe(200);
    clock.advance(2_000);
    expect(await status()).toBe(403);
  });
});

describe('a server whose files change', () => {
  const fingerprint = async (): Promise<string> => {
    const socket = connectTls({ host: '127.0.0.1', port: node.server.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const found = socket.getPeerCertificate().fingerprint256;
    socket.destroy();
    return found;
  };

  it('uses its new certificate from the next connection on', async () => {
    await served();
    const before = await fingerprint();
    const certificate = await selfSignedCertificate({ hostname: 'n1', addresses: ['127.0.0.1'] }, systemClock.now());
    expect(node.server.setTls({ certificate, clientCa: node.ca.pem })).toBe(true);
    const after = await fingerprint();
    expect(after).not.toBe(before);
    expect(node.server.setTls({ certificate, clientCa: node.ca.pem })).toBe(false);
    const broken = { ...certificate, key: 'no key' };
    for (const _ of ['once', 'and again']) {
      expect(() => node.server.setTls({ certificate: broken, clientCa: node.ca.pem })).toThrow('unsupported');
    }
    expect(await fingerprint()).toBe(after);
    expect((await ask(node, '/pods', { certificate: await node.ca.issue('CN=apiserver') })).status).toBe(200);
  });

  it('trusts only certificates of the new authority, also on open connections', async () => {
    await served();
    const old = await node.ca.issue('CN=apiserver');
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ...old });
    ends.push(() => agent.destroy());
    const kept = (): Promise<number> =>
      new Promise((resolve, reject) => {
        const { port } = node.server;
        const options = { host: '127.0.0.1', port, path: '/pods', agent, rejectUnauthorized: false, ...old };
        httpsRequest(options, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        })
          .on('error', reject)
          .end();
      });
    expect(await kept()).toBe(200);
    const next = await ClientCa.make();
    node.server.setTls({ certificate: undefined, clientCa: next.pem });
    expect((await ask(node, '/pods', { certificate: await next.issue('CN=apiserver') })).status).toBe(200);
    expect((await ask(node, '/pods', { certificate: old })).status).toBe(401);
    // The connection that was open, and the session that could be taken up again, are of no use.
    expect(await kept().catch(() => kept())).toBe(401);
  });
});

describe('a server with TLS settings', () => {
  const chosen = 'ECDHE-ECDSA-AES256-GCM-SHA384';
  const other = 'ECDHE-ECDSA-AES128-GCM-SHA256';

  it.each([
    { tls: { minVersion: 'TLSv1.3' }, client: { maxVersion: 'TLSv1.2' }, spoken: 'nothing' },
    { tls: { minVersion: 'TLSv1.3' }, client: {}, spoken: 'TLSv1.3' },
    { tls: { minVersion: 'TLSv1.2' }, client: { maxVersion: 'TLSv1.2' }, spoken: 'TLSv1.2' },
    { tls: { minVersion: 'TLSv1.2' }, client: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, spoken: 'nothing' },
    { tls: { ciphers: [chosen] }, client: { maxVersion: 'TLSv1.2', ciphers: chosen }, spoken: `TLSv1.2 ${chosen}` },
    { tls: { ciphers: [chosen] }, client: { maxVersion: 'TLSv1.2', ciphers: other }, spoken: 'nothing' },
    { tls: { ciphers: [chosen] }, client: {}, spoken: 'TLSv1.3' },
  ] as const)('speaks $spoken with $tls configured and a client of $client', async ({ tls, client, spoken }) => {
    await served({ tls });
    const socket = connectTls({ host: '127.0.0.1', port: node.server.port, rejectUnauthorized: false, ...client });
    const said = await new Promise<string>((resolve) => {
      socket.once('secureConnect', () => resolve(`${socket.getProtocol()} ${socket.getCipher().name}`));
      socket.once('error', () => resolve('nothing'));
    });
    socket.destroy();
    expect(said.startsWith(spoken) ? spoken : said).toBe(spoken);
  });
});

describe('a server under load', () => {
  it('closes connections that send no complete request', async () => {
    await served({ settings: { headersWithinMs: 60 } });
    const { port } = node.server;
    const silent = connect({ host: '127.0.0.1', port });
    const slow: TLSSocket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
    slow.write('GET /pods HTTP/1.1\r\nHost: n1\r\nX-Slow: ');
    const ended = [silent, slow].map((socket) => {
      socket.on('error', () => {});
      socket.resume();
      return once(socket, 'close');
    });
    await Promise.all(ended);
    expect((await ask(node, '/pods', { token: 'good' })).status).toBe(200);
  });

  it('holds a thousand idle streams, rejects streams above its limit, and serves other clients', async () => {
    const held = new Set<Socket>();
    const runtime = createServer((socket) => {
      held.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => held.delete(socket));
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    ends.push(() => runtime.close());
    await once(runtime, 'listening');
    const streamUrl = `http://127.0.0.1:${(runtime.address() as AddressInfo).port}/exec/token`;
    // Without TLS, since handshakes are not tested here.
    await served({ streamUrl, plain: true, settings: { mostStreams: 1_000 } });
    const upgrade = async (): Promise<{ readonly socket: Socket; readonly said: string }> => {
      const socket = connect({ host: '127.0.0.1', port: node.server.port });
      socket.on('error', () => {});
      const head = 'Host: n1\r\nAuthorization: Bearer good\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';
      socket.write(`POST /exec/a/web/main?output=1&command=ls HTTP/1.1\r\n${head}`);
      const [piece] = (await once(socket, 'data')) as [Buffer];
      return { socket, said: piece.toString() };
    };
    const open = await Promise.all(Array.from({ length: 1_000 }, upgrade));
    expect(new Set(open.map(({ said }) => said))).toEqual(new Set(['HTTP/1.1 101 Switching Protocols\r\n\r\n']));
    expect((await upgrade()).said).toMatch(/^HTTP\/1.1 429 [^]*Retry-After: 1\r\n/);
    expect((await fetch(`http://127.0.0.1:${node.server.port}/pods`)).status).toBe(401);
    for (const { socket } of open.slice(0, 500)) socket.destroy();
    await expect.poll(() => held.size).toBe(500);
    const after = await upgrade();
    expect(after.said).toMatch(/^HTTP\/1.1 101/);
    for (const { socket } of [after, ...open]) socket.destroy();
    await expect.poll(() => held.size).toBe(0);
  });

  it('closes every stream when it ends', async () => {
    const held = new Set<Socket>();
    const runtime = createServer((socket) => {
      held.add(socket);
      socket.on('close', () => held.delete(socket));
      socket.resume();
    }).listen(0, '127.0.0.1');
    ends.push(() => runtime.close());
    await once(runtime, 'listening');
    await served({ streamUrl: `http://127.0.0.1:${(runtime.address() as AddressInfo).port}/`, plain: true });
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect({ host: '127.0.0.1', port: node.server.port });
      socket.write(
        'GET /exec/a/web/main?output=1&command=ls HTTP/1.1\r\nHost: n\r\nAuthorization: Bearer good\r\n' +
          'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      socket.on('error', () => {});
      socket.resume();
      return socket;
    });
    await expect.poll(() => held.size).toBe(50);
    const closed = Promise.all(sockets.map((socket) => once(socket, 'close')));
    await node.server.close();
    await closed;
    await expect.poll(() => held.size).toBe(0);
  });
});
