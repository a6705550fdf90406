import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { joinStreams } from '../../../src/serving/streams/join-streams.ts';
import { halfOpen, proxyStream } from '../../../src/serving/streams/stream-proxy.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';
import { serverUnderTest, type ServerUnderTest } from '../server-under-test.ts';

/** The two ends of one connection in memory. */
const pair = (): readonly [Duplex, Duplex] => duplexPair({ allowHalfOpen: true });

const said = (stream: Duplex): Buffer[] => {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', () => {});
  return pieces;
};
const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

describe('two joined streams', () => {
  const joined = (idleMs = 0) => {
    const clock = manualClock();
    const [client, nearClient] = pair();
    const [runtime, nearRuntime] = pair();
    const over = joinStreams(nearClient, nearRuntime, { clock, idleMs });
    return { clock, client, runtime, nearClient, nearRuntime, over };
  };

  it('leave one direction open when the other has ended', async () => {
    const { client, runtime, over } = joined();
    const heard = said(client);
    const taken = said(runtime);
    client.end('all of it');
    await once(runtime, 'end');
    expect(textOf(taken)).toBe('all of it');
    runtime.write('the ');
    runtime.end('answer');
    await over;
    expect(textOf(heard)).toBe('the answer');
  });

  it('apply backpressure to a side that writes faster than the other reads', async () => {
    const { client, runtime, nearClient } = joined();
    const block = Buffer.alloc(16_384);
    let written = 0;
    do {
      written++;
      runtime.write(block);
      await settled();
    } while (written < 1_000 && !runtime.writableNeedDrain);
    expect(written).toBeLessThan(20);
    expect(nearClient.writableLength).toBeLessThan(100_000);
    const heard = said(client);
    runtime.end();
    await once(client, 'end');
    expect(Buffer.concat(heard).length).toBe(written * block.length);
  });

  it('end together when one of them breaks, after delivering buffered data', async () => {
    const { client, runtime, nearRuntime, over } = joined();
    const heard = said(client);
    runtime.write('last words');
    await settled();
    nearRuntime.destroy(new Error('reset'));
    await over;
    expect(textOf(heard)).toBe('last words');
  });

  it('end when one side is gone, even if the other does not read', async () => {
    const { clock, runtime, nearClient, nearRuntime, over } = joined();
    for (let count = 0; count < 100; count++) runtime.write(Buffer.alloc(16_384));
    await settled();
    nearRuntime.destroy();
    await settled();
    expect(nearClient.destroyed).toBe(false);
    await clock.advanceAndSettle(10_000);
    await over;
    expect(nearClient.destroyed).toBe(true);
  });

  it.each(['client', 'runtime'] as const)('end when idle, counted from the last byte of the %s', async (side) => {
    const both = joined(1_000);
    said(both.client);
    said(both.runtime);
    await both.clock.advanceAndSettle(900);
    both[side].write('x');
    await settled();
    await both.clock.advanceAndSettle(900);
    expect(both.nearClient.destroyed).toBe(false);
    await both.clock.advanceAndSettle(100);
    await both.over;
    expect([both.nearClient.destroyed, both.nearRuntime.destroyed]).toEqual([true, true]);
    expect(both.clock.armed).toBe(0);
  });
});

describe('a proxied stream', () => {
  const request = {
    method: 'POST',
    rawHeaders: ['Host', 'node', 'Authorization', 'Bearer secret', 'Upgrade', 'SPDY/3.1', 'Cookie', 'c=1'],
  } as unknown as IncomingMessage;
  const options = { url: 'http://runtime:1/exec/token?x=1', idleMs: 0, head: Buffer.alloc(0) };

  it('begins with the original request, without credentials', async () => {
    const [client, near] = pair();
    const [runtime, stream] = pair();
    const dial = () => ({ stream, connected: Promise.resolve() });
    const over = proxyStream(request, near, {
      ...options,
      clock: manualClock(),
      dial,
      head: Buffer.from('first bytes'),
    });
    const taken = said(runtime);
    await settled();
    client.destroy();
    near.destroy();
    expect(await over).toEqual({ failed: undefined });
    expect(textOf(taken)).toBe(
      'POST /exec/token?x=1 HTTP/1.1\r\nHost: runtime:1\r\nUpgrade: SPDY/3.1\r\n\r\nfirst bytes',
    );
  });

  it.each([
    ['does not answer', (clock: ReturnType<typeof manualClock>) => clock.advance(10_000), 'it does not answer'],
    ['is left by its client', (_: unknown, near: Duplex) => void near.destroy(), 'the client has left'],
  ] as const)('is given up where the runtime %s', async (_, happens, problem) => {
    const clock = manualClock();
    const [, near] = pair();
    const stream = new Socket();
    const dial = () => ({ stream, connected: new Promise<void>(() => {}) });
    const over = proxyStream(request, near, { ...options, clock, dial });
    happens(clock, near);
    expect(await over).toEqual({ failed: problem });
    expect(stream.destroyed).toBe(true);
    expect(clock.armed).toBe(0);
  });

  it('fails when nothing listens at the address', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const [, near] = pair();
    const over = proxyStream(request, near, { ...options, url: `http://127.0.0.1:${port}/`, clock: systemClock });
    expect((await over).failed).toMatch(/ECONNREFUSED/);
  });
});

describe('a stream through the live server', () => {
  let node: ServerUnderTest | undefined;
  let runtime: Server | undefined;
  afterEach(async () => {
    await node?.server.close();
    runtime?.close();
  });

  it('may be half-closed, over TLS too', async () => {
    // A runtime that answers after it has read all input.
    runtime = createServer(halfOpen, (socket) => {
      let heard = '';
      socket.on('data', (piece: Buffer) => (heard += piece.toString()));
      socket.on('end', () => socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\nheard ${heard.split('\r\n\r\n')[1]}`));
    }).listen(0, '127.0.0.1');
    await once(runtime, 'listening');
    const { port } = runtime.address() as AddressInfo;
    node = await serverUnderTest({ anonymous: true, streamUrl: `http://127.0.0.1:${port}/exec/token` });
    node.reviews.rights.add('system:anonymous *');
    const options = { host: '127.0.0.1', port: node.server.port, rejectUnauthorized: false, ...halfOpen };
    const client: TLSSocket = connectTls(options);
    const answer = said(client);
    client.write(
      'POST /exec/a/web/main?output=1&command=ls HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n',
    );
    client.end('all of it');
    await once(client, 'end');
    expect(textOf(answer)).toBe('HTTP/1.1 101 Switching Protocols\r\n\r\nheard all of it');
  });
});
