import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { StatusResponse, VersionResponse } from '../../src/cri/gen/api.ts';
import type { CriTransport } from '../../src/cri/transport.ts';

/** A call that has reached the runtime and waits for the test's answer. */
export interface SentCall {
  readonly method: string;
  readonly request: Uint8Array;
  readonly timeoutMs: number | undefined;
  answer(bytes?: Uint8Array): void;
  fail(fault: CriFault): void;
}

type EventListener = Parameters<CriTransport['containerEvents']>[0];

export interface FakeTransport extends CriTransport {
  /** Calls under way, in the order they came; the gateway's own looks at the runtime are answered at once. */
  readonly sent: SentCall[];
  /** Calls by method, including the gateway's own. */
  readonly counts: Map<string, number>;
  /** The answer to every list call. A byte array stands for an unreadable answer. */
  runtime: 'up' | 'down' | 'hangs' | Uint8Array;
  networkReady: boolean;
  /** Every stream that was ever opened; `open` until it is closed. */
  readonly streams: (EventListener & { open: boolean })[];
}

export const NO_CONNECTION: CriFault = { code: 'UNAVAILABLE', detail: 'no connection to the runtime' };

/** A runtime of which the test decides every answer. */
export function fakeTransport(): FakeTransport {
  const fake: FakeTransport = {
    sent: [],
    counts: new Map(),
    runtime: 'up',
    networkReady: true,
    streams: [],
    unary(path, request, timeoutMs) {
      const method = path.split('/').at(-1) ?? '';
      fake.counts.set(method, (fake.counts.get(method) ?? 0) + 1);
      if (method === 'Status' || method === 'Version') return look(fake, method);
      return new Promise((resolve) => {
        const settle = (outcome: CriOutcome<Uint8Array>): void => {
          fake.sent.splice(fake.sent.indexOf(call), 1);
          resolve(outcome);
        };
        const call: SentCall = {
          method,
          request,
          timeoutMs,
          answer: (bytes = new Uint8Array()) => settle({ ok: true, value: bytes }),
          fail: (fault) => settle({ ok: false, fault }),
        };
        fake.sent.push(call);
      });
    },
    containerEvents(listener) {
      const stream = {
        open: true,
        event: (bytes: Uint8Array) => listener.event(bytes),
        ended: (fault: CriFault) => listener.ended(fault),
      };
      fake.streams.push(stream);
      return () => void (stream.open = false);
    },
    close() {},
  };
  return fake;
}

function look({ runtime, networkReady }: FakeTransport, method: 'Status' | 'Version'): Promise<CriOutcome<Uint8Array>> {
  if (runtime === 'hangs') return new Promise(() => {});
  if (runtime === 'down') return Promise.resolve({ ok: false, fault: NO_CONNECTION });
  if (runtime !== 'up') return Promise.resolve({ ok: true, value: runtime });
  const conditions = [
    { type: 'RuntimeReady', status: true },
    { type: 'NetworkReady', status: networkReady, message: 'no network yet' },
  ];
  const bytes =
    method === 'Status'
      ? StatusResponse.encode(StatusResponse.fromPartial({ status: { conditions } })).finish()
      : VersionResponse.encode(VersionResponse.fromPartial({ runtimeName: 'fake', runtimeVersion: '1' })).finish();
  return Promise.resolve({ ok: true, value: bytes });
}
