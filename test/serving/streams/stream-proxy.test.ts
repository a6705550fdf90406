import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Server, Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { hostReader } from '../../../src/host/host-reader.ts';
import { type ConnectionPeers, kernelPeers } from '../../../src/host/tcp-peers.ts';
import { joinStreams } from '../../../src/serving/streams/join-streams.ts';
import { halfOpen } from '../../../src/serving/streams/half-open.ts';
import { proxyStream } from '../../../src/serving/streams/stream-proxy.ts';
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

const allThere: ConnectionPeers = { hasLeft: () => false };

describe('two joined streams', () => {
  const joined = (idleMs = 0) => {
    const clock = manualClock();
    const [client, nearClient] = pair();
    const [runtime, nearRuntime] = pair();
    const gone = new Set<Duplex>();
    const peers: ConnectionPeers = { hasLeft: (end) => gone.has(end) };
    const over = joinStreams(nearClient, nearRuntime, { clock, idleMs, peers });
    return { clock, client, runtime, nearClient, nearRuntime, gone, over };
  };
  type Joined = ReturnType<typeof joined>;
  const isOpen = ({ nearClient, nearRuntime }: Joined): boolean => !nearClient.destroyed || !nearRuntime.destroyed;
  const block = Buffer.alloc(16_384, 'x');

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

  it.each<[string, (both: Joined) => void]>([
    ['its client ended its direction, and the runtime says nothing', ({ client }) => void client.end('all')],
    [
      'its client ended its direction, and the runtime talks on',
      ({ client, runtime, clock }) => {
        said(client);
        client.end();
        const talk = (): void => {
          runtime.write('still here');
          clock.after(1_000, talk);
        };
        talk();
      },
    ],
    ['its runtime ended its direction, and the client stays', ({ runtime }) => void runtime.end('all')],
    ['its client broke', ({ nearClient }) => void nearClient.destroy(new Error('reset'))],
  ])('end within seconds when one of them has gone: %s', async (_, happens) => {
    const both = joined();
    said(both.runtime);
    happens(both);
    await both.clock.advanceAndSettle(11_000);
    expect(isOpen(both)).toBe(false);
    await both.over;
  });

  it.each(['client', 'runtime'] as const)('end when the %s has gone whose bytes nobody takes', async (side) => {
    const both = joined();
    const near = side === 'client' ? both.nearClient : both.nearRuntime;
    for (let count = 0; count < 100; count++) both[side].write(block);
    await settled();
    expect(near.isPaused()).toBe(true);
    await both.clock.advanceAndSettle(60_000);
    expect(isOpen(both)).toBe(true);
    both.gone.add(near);
    await both.clock.advanceAndSettle(12_000);
    expect(isOpen(both)).toBe(false);
    await both.over;
    expect(both.clock.armed).toBe(0);
  });

  it('give a slow client all that a runtime said before its end', async () => {
    const { client, runtime, clock, over } = joined();
    for (let count = 0; count < 20; count++) runtime.write(block);
    runtime.end();
    let taken = 0;
    while (!client.readableEnded && taken <= 20 * block.length) {
      await clock.advanceAndSettle(9_000);
      // A stream without an encoding yields buffers.
      taken += (client.read() as Buffer | null)?.length ?? 0;
    }
    expect(taken).toBe(20 * block.length);
    client.end();
    await over;
  });

  it('do not keep a client that goes on sending to a runtime that has ended', async () => {
    const { client, runtime, clock, over } = joined();
    const heard = said(client);
    runtime.end('last words');
    const talk = (): void => {
      client.write(block);
      clock.after(1_000, talk);
    };
    talk();
    await clock.advanceAndSettle(12_000);
    await over;
    expect(textOf(heard)).toBe('last words');
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
  const options = { url: 'http://runtime:1/exec/token?x=1', idleMs: 0, head: Buffer.alloc(0), peers: allThere };

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

describe('a proxied connection of the kernel', () => {
  const request = { method: 'POST', rawHeaders: ['Upgrade', 'SPDY/3.1'] } as unknown as IncomingMessage;
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  /** A port, and the first connection to it. */
  const listener = async (): Promise<{ port: number; accepted: Promise<Socket> }> => {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const accepted = once(server, 'connection').then(([socket]) => socket as Socket);
    return { port: (server.address() as AddressInfo).port, accepted };
  };
  const proxied = async () => {
    const clock = manualClock();
    const [front, back] = await Promise.all([listener(), listener()]);
    const client = new Socket({ allowHalfOpen: true }).connect(front.port, '127.0.0.1');
    client.on('error', () => {});
    const near = await front.accepted;
    const peers = kernelPeers(hostReader, clock);
    const url = `http://127.0.0.1:${back.port}/exec/token`;
    const over = proxyStream(request, near, { url, idleMs: 0, head: Buffer.alloc(0), clock, peers });
    const runtime = await back.accepted;
    runtime.on('error', () => {});
    return { clock, client, near, runtime, over };
  };
  /** Writes until neither the kernel nor the proxy takes more. Returns how many bytes were written. */
  const fill = async (from: Socket, block = Buffer.alloc(1024 * 1024, 'x')): Promise<number> => {
    let written = 0;
    for (let isFull = false; !isFull;) {
      written += block.length;
      const flushed = new Promise<boolean>((resolve) => from.write(block, () => resolve(false)));
      const quiet = async (): Promise<boolean> => {
        for (let turns = 0; turns < 200; turns++) await settled();
        return true;
      };
      isFull = await Promise.race([flushed, quiet()]);
    }
    return written;
  };

  it.each([
    ['closes', (end: Socket) => void end.destroy()],
    ['breaks', (end: Socket) => void end.resetAndDestroy()],
  ])('ends within seconds when a client %s whose input the runtime does not read', async (_, leave) => {
    const { clock, client, near, runtime, over } = await proxied();
    await fill(client);
    expect(near.isPaused()).toBe(true);
    leave(client);
    await once(client, 'close');
    await clock.advanceAndSettle(12_000);
    await over;
    const heard = said(runtime);
    runtime.resume();
    await Promise.race([once(runtime, 'end'), once(runtime, 'close')]);
    expect(heard.length).toBeGreaterThan(0);
    runtime.destroy();
  });

  it.each([
    ['closes', (end: Socket) => void end.destroy()],
    ['breaks', (end: Socket) => void end.resetAndDestroy()],
  ])('ends within seconds when the runtime %s whose output the client does not read', async (_, leave) => {
    const { clock, client, near, runtime, over } = await proxied();
    await fill(runtime);
    leave(runtime);
    await once(runtime, 'close');
    await clock.advanceAndSettle(12_000);
    await over;
    expect(near.destroyed).toBe(true);
    client.destroy();
  });

  it('delivers the output of a runtime that takes no input any more', async () => {
    const { client, near, runtime, over } = await proxied();
    runtime.resume();
    // The client reads nothing, until the proxy no longer reads the runtime.
    let written = 0;
    for (let turns = 0; turns < 100; turns++) {
      await settled();
      if (near.writableNeedDrain) continue;
      turns = 0;
      runtime.write(Buffer.alloc(65_536, 'y'));
      written += 65_536;
    }
    const last = Buffer.alloc(16_384, 'z');
    runtime.end(last);
    await once(runtime, 'finish');
    runtime.destroy();
    await once(runtime, 'close');
    // What a client sends now has no reader: the second of two such writes fails.
    for (let count = 0; count < 100; count++) {
      client.write('more input');
      await settled();
    }
    expect(near.destroyed).toBe(false);
    const heard = said(client);
    await once(client, 'end');
    client.end();
    await over;
    const all = Buffer.concat(heard);
    expect([all.length, all.subarray(-last.length).equals(last)]).toEqual([written + last.length, true]);
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
