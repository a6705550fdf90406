import * as grpc from '@grpc/grpc-js';
import { systemClock, later } from '../actor/clock.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import { criFaultCode, type CriFault, type CriOutcome } from './fault.ts';
import { containerEventsPath } from './methods.ts';

/** Sends bytes to a CRI runtime, and receives bytes from it. */
export interface CriTransport {
  /** `timeoutMs` `undefined`: no deadline (image pulls). Never rejects. The caller owns the returned bytes. */
  unary(path: string, request: Uint8Array, timeoutMs: number | undefined): Promise<CriOutcome<Uint8Array>>;
  /**
   * Streams container events. The stream always ends with a fault. There is only one stream at a time: opening
   * another ends the previous one. The returned function also ends it, at once and without calling its listener.
   */
  containerEvents(listener: { event(bytes: Uint8Array): void; ended(fault: CriFault): void }): () => void;
  close(): void;
}

const MIB = 1024 * 1024;

const clientOptions: grpc.ClientOptions = {
  'grpc.max_receive_message_length': 64 * MIB,
  'grpc.max_send_message_length': 64 * MIB,
  'grpc-node.flow_control_window': 4 * MIB,
  // A retried CreateContainer makes a second container: the code that knows the effect decides about retries.
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  // A restarted runtime is noticed within a second.
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // Unary calls were seen to hang after the channel idled on a pipe: the channel never idles.
  'grpc.client_idle_timeout_ms': 2_147_483_647,
  // A dead runtime behind a live socket sends nothing; without this the event stream would wait for ever.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
};

const raw = {
  serialize: (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  deserialize: (bytes: Buffer): Buffer => bytes,
};

/** Returns `unix:///path` for the forms that users write: `unix:///path`, `unix:path` or a bare path. */
export const criTarget = (endpoint: string): string => (endpoint.startsWith('/') ? `unix://${endpoint}` : endpoint);

/** One client object, on one channel, for the whole life of its thread. */
export function grpcTransport(endpoint: string): CriTransport {
  const client = new grpc.Client(criTarget(endpoint), grpc.credentials.createInsecure(), clientOptions);
  const metadata = new grpc.Metadata();
  let closeStream = (): void => {};
  return {
    unary: (path, request, timeoutMs) =>
      new Promise((resolve) => {
        // The library enforces the deadline. It compares the given instant with the wall clock, so the wall clock
        // must be read here. A monotonic scale is hours off once the machine's clock has been set.
        const options = timeoutMs === undefined ? {} : { deadline: later(systemClock.now(), timeoutMs) };
        client.makeUnaryRequest(path, raw.serialize, raw.deserialize, request, metadata, options, (error, response) => {
          if (error !== null) resolve({ ok: false, fault: faultOf(error) });
          else resolve({ ok: true, value: ownBytes(response) });
        });
      }),
    containerEvents(listener) {
      closeStream();
      const stream = client.makeServerStreamRequest(
        containerEventsPath,
        raw.serialize,
        raw.deserialize,
        new Uint8Array(),
      );
      let over = false;
      const end = (fault: CriFault): void => {
        if (over) return;
        over = true;
        listener.ended(fault);
      };
      stream.on('data', (bytes: Buffer) => {
        if (!over) listener.event(ownBytes(bytes));
      });
      stream.on('error', (error: grpc.ServiceError) => end(faultOf(error)));
      stream.on('end', () => end({ code: 'UNAVAILABLE', detail: 'the runtime ended the event stream' }));
      closeStream = () => {
        if (over) return;
        over = true;
        stream.cancel();
      };
      return closeStream;
    },
    close: () => client.close(),
  };
}

const MOST_DETAIL = 4_096;

const faultOf = (error: grpc.ServiceError): CriFault => ({
  code: criFaultCode(error.code),
  // The text goes into logs, events and statuses; a runtime may put whole outputs of programs there.
  detail: excerpt(error.details || error.message, MOST_DETAIL),
});

/**
 * Returns bytes with a buffer of their own. Small messages come out of a shared pool: sending such a view to
 * another thread would copy the whole pool.
 */
function ownBytes(bytes: Buffer | undefined): Uint8Array {
  if (bytes === undefined) return new Uint8Array();
  // Node's buffers are never in shared memory.
  if (bytes.byteLength === bytes.buffer.byteLength) return new Uint8Array(bytes.buffer as ArrayBuffer);
  return new Uint8Array(bytes);
}
