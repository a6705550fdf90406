import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isInDoubt, type CriFault } from '../../src/cri/fault.ts';
import { containerEventsPath, criMethods } from '../../src/cri/methods.ts';
import { criTarget, grpcTransport, type CriTransport } from '../../src/cri/transport.ts';

const asIs = (bytes: Buffer): Buffer => bytes;
const wire = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };

type Unary = grpc.handleUnaryCall<Buffer, Buffer>;
type Stream = grpc.ServerWritableStream<Buffer, Buffer>;

let directory: string;
let socket: string;
let client: CriTransport;
let server: grpc.Server | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hivelet-cri-'));
  socket = join(directory, 'cri.sock');
  client = grpcTransport(socket);
});
afterEach(() => {
  client.close();
  server?.forceShutdown();
  server = undefined;
  rmSync(directory, { recursive: true, force: true });
});

/** A runtime that answers `Status` with `unary`, and streams events with `stream`, if it has such a thing. */
async function serve(unary: Unary, stream?: (call: Stream) => void): Promise<void> {
  const listening = new grpc.Server({ 'grpc.max_receive_message_length': -1 });
  server = listening;
  listening.register('/runtime.v1.RuntimeService/Status', unary, asIs, asIs, 'unary');
  if (stream !== undefined)
    listening.addService(
      { events: { path: containerEventsPath, requestStream: false, responseStream: true, ...wire } },
      { events: stream },
    );
  await new Promise<void>((resolve, reject) => {
    listening.bindAsync(`unix://${socket}`, grpc.ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
}

const status = (request = new Uint8Array(), timeoutMs: number | undefined = 5_000) =>
  client.unary(criMethods.Status.path, request, timeoutMs);
const echo: Unary = ({ request }, reply) => reply(null, request);

describe('a call over a unix socket', () => {
  it('sends and returns bytes unchanged', async () => {
    await serve(echo);
    const answer = await status(Uint8Array.of(8, 1));
    expect(answer).toEqual({ ok: true, value: Uint8Array.of(8, 1) });
  });

  it('supports answers of tens of megabytes, and requests of several', async () => {
    await serve(({ request }, reply) => reply(null, Buffer.alloc(20 * 2 ** 20, request.at(-1))));
    const answer = await status(new Uint8Array(6 * 2 ** 20).fill(3));
    expect(answer.ok && [answer.value.byteLength, answer.value.at(-1)]).toEqual([20 * 2 ** 20, 3]);
  });

  it('gets a small answer in a separate buffer, which can move to another thread', async () => {
    await serve(echo);
    const answer = await status(Uint8Array.of(1, 2, 3));
    expect(answer.ok && answer.value.buffer.byteLength).toBe(3);
  });

  it('gets an empty answer as no bytes', async () => {
    await serve((_, reply) => reply(null, Buffer.alloc(0)));
    await expect(status()).resolves.toEqual({ ok: true, value: new Uint8Array() });
  });

  it("fails with the runtime's code and message", async () => {
    await serve((_, reply) => reply({ code: grpc.status.NOT_FOUND, details: 'no such sandbox' }));
    await expect(status()).resolves.toEqual({ ok: false, fault: { code: 'NOT_FOUND', detail: 'no such sandbox' } });
  });

  it.each([
    { length: 4_096, detail: 'x'.repeat(4_096) },
    { length: 10_000, detail: `${'x'.repeat(4_096)}… (5904 more characters)` },
  ])('fails with at most 4,096 characters when the runtime sends $length', async ({ length, detail }) => {
    await serve((_, reply) => reply({ code: grpc.status.INTERNAL, details: 'x'.repeat(length) }));
    await expect(status()).resolves.toEqual({ ok: false, fault: { code: 'INTERNAL', detail } });
  });

  it('ends at its deadline', async () => {
    await serve(() => {});
    await expect(status(new Uint8Array(), 50)).resolves.toMatchObject({ fault: { code: 'DEADLINE_EXCEEDED' } });
  });

  it('fails at once without a runtime, and succeeds soon after the runtime starts', async () => {
    await expect(status()).resolves.toMatchObject({ ok: false, fault: { code: 'UNAVAILABLE' } });
    await serve(echo);
    const came = performance.now();
    while (!(await status()).ok) if (performance.now() - came > 10_000) break;
    expect(performance.now() - came).toBeLessThan(3_000);
  });

  it('fails when the runtime dies, and reaches its successor', async () => {
    const asked = Promise.withResolvers<void>();
    await serve(() => asked.resolve());
    const lost = status(new Uint8Array(), undefined);
    await asked.promise;
    server?.forceShutdown();
    const outcome = await lost;
    // The code depends on the runtime's death; each of these codes means that the call may have had its effect.
    expect(!outcome.ok && isInDoubt(outcome.fault)).toBe(true);
    await serve(echo);
    const came = performance.now();
    while (!(await status()).ok) if (performance.now() - came > 10_000) break;
    expect(performance.now() - came).toBeLessThan(3_000);
  });
});

describe('the event stream', () => {
  /** Opens the stream and records its events. */
  function listen() {
    const events: string[] = [];
    const ended = Promise.withResolvers<CriFault>();
    const first = Promise.withResolvers<void>();
    const close = client.containerEvents({
      event(bytes) {
        events.push(Buffer.from(bytes).toString());
        first.resolve();
      },
      ended: (fault) => ended.resolve(fault),
    });
    return { events, ended: ended.promise, first: first.promise, close };
  }

  it('forwards events, and reports its end', async () => {
    await serve(echo, (call) => {
      for (const text of ['one', 'two']) call.write(Buffer.from(text));
      call.end();
    });
    const { events, ended } = listen();
    await expect(ended).resolves.toMatchObject({ code: 'UNAVAILABLE' });
    expect(events).toEqual(['one', 'two']);
  });

  it('reports a runtime without events', async () => {
    await serve(echo);
    await expect(listen().ended).resolves.toMatchObject({ code: 'UNIMPLEMENTED' });
  });

  it('ends with at most 4,096 characters of the runtime’s error', async () => {
    await serve(echo, (call) => {
      call.emit('error', { code: grpc.status.INTERNAL, details: 'x'.repeat(10_000) });
    });
    const detail = `${'x'.repeat(4_096)}… (5904 more characters)`;
    await expect(listen().ended).resolves.toEqual({ code: 'INTERNAL', detail });
  });

  it('ends without a listener', async () => {
    await expect(listen().ended).resolves.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is closed silently by the next stream', async () => {
    const cancelled = Promise.withResolvers<void>();
    let streams = 0;
    await serve(echo, (call) => {
      streams++;
      call.on('cancelled', () => cancelled.resolve());
      call.write(Buffer.from(`stream ${streams}`));
    });
    const one = listen();
    await one.first;
    const two = listen();
    await Promise.all([cancelled.promise, two.first]);
    expect([one.events, two.events]).toEqual([['stream 1'], ['stream 2']]);
    two.close();
    const silent = Promise.race([one.ended, two.ended, status().then(() => 'silent')]);
    await expect(silent).resolves.toBe('silent');
  });
});

describe('an endpoint', () => {
  it.each([
    ['/run/cri.sock', 'unix:///run/cri.sock'],
    ['unix:///run/cri.sock', 'unix:///run/cri.sock'],
    ['unix:/run/cri.sock', 'unix:/run/cri.sock'],
  ])('%s is reached as %s', (written, target) => {
    expect(criTarget(written)).toBe(target);
  });
});
