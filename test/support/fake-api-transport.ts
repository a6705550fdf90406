import type { ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport, WatchListener } from '../../src/api/api-transport.ts';

export interface SentCall {
  readonly request: ApiRequest;
  readonly timeoutMs: number;
  readonly answer: (outcome: ApiOutcome<unknown>) => void;
}

export interface OpenedWatch {
  readonly path: string;
  readonly listener: WatchListener;
  isClosed: boolean;
}

/** A transport that the test answers by hand. Where `answers` returns an outcome, that is the answer. */
export function fakeApiTransport(answers: (request: ApiRequest) => ApiOutcome<unknown> | undefined = () => undefined) {
  const sent: SentCall[] = [];
  const watches: OpenedWatch[] = [];
  let isClosed = false;
  const transport: ApiTransport = {
    call(request, timeoutMs) {
      const at = answers(request);
      const { promise, resolve } = Promise.withResolvers<ApiOutcome<unknown>>();
      sent.push({ request, timeoutMs, answer: resolve });
      if (at !== undefined) resolve(at);
      return promise;
    },
    watch(path, listener) {
      const watch: OpenedWatch = { path, listener, isClosed: false };
      watches.push(watch);
      return () => void (watch.isClosed = true);
    },
    close: () => void (isClosed = true),
  };
  return {
    transport,
    sent,
    watches,
    get isClosed() {
      return isClosed;
    },
    /** The calls to a path, oldest first. */
    to: (path: string): readonly SentCall[] => sent.filter(({ request }) => request.path === path),
  };
}
