import type { ApiFault, ApiOutcome, ApiRequest } from '../../../api/api-request.ts';
import type { ApiTransport, WatchListener } from '../../../api/api-transport.ts';
import type { ApiCore } from '../store/api-core.ts';
import { reasonOfCode } from '../../../api/api-fault.ts';
import { apiVersionOf, type ApiKind, type ApiUser } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import type { ApiMethod, CoreAnswer } from '../store/core-contract.ts';
import type { ObjectWatch } from '../store/object-watch.ts';
import { patchTypes } from '../patch/patch-object.ts';
import type { FailureStatus } from '../store/refusal.ts';

export interface InProcessOptions {
  readonly user?: ApiUser;
  /** Delays an answer. A microtask by default. */
  readonly later?: (run: () => void) => void;
  /**
   * Called before every call: returns a fault to answer with, or `undefined` to let the call through. For faults in
   * tests.
   */
  readonly intercept?: (request: ApiRequest) => ApiFault | undefined;
}

const methods: Readonly<Record<ApiRequest['verb'], ApiMethod>> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

const contentTypes = new Map(Object.entries(patchTypes).map(([contentType, type]) => [type, contentType]));

/** How many events a listener gets at once. */
const BATCH = 500;

const administrator: ApiUser = { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

/**
 * Calls the API in the same process, without a network. Answers and watch events are the stored objects themselves,
 * not copies: readers must not change them. Request bodies are copied.
 */
export function inProcessTransport(core: ApiCore, options: InProcessOptions = {}): ApiTransport {
  const { user = administrator, later = queueMicrotask, intercept } = options;
  const watches = new Set<() => void>();
  let isClosed = false;

  function perform(request: ApiRequest): ApiOutcome<unknown> {
    if (isClosed) return { ok: false, fault: { kind: 'unreachable', message: 'the transport is closed' } };
    const fault = intercept?.(request);
    if (fault) return { ok: false, fault };
    const contentType = request.patchType && contentTypes.get(request.patchType);
    return outcomeOf(
      core.handle({
        method: methods[request.verb],
        path: request.path,
        user,
        userAgent: 'hivelet',
        ...(request.body !== undefined && { body: structuredClone(request.body) }),
        ...(contentType !== undefined && { contentType }),
      }),
    );
  }

  return {
    call: (request) =>
      // The call has its effect now; its answer takes a moment, as from a server.
      new Promise((resolve) => {
        const outcome = perform(request);
        later(() => resolve(outcome));
      }),
    watch(path, listener) {
      const fault = isClosed
        ? ({ kind: 'unreachable', message: 'the transport is closed' } as const)
        : intercept?.({ verb: 'list', path, priority: 'object' });
      const answer: CoreAnswer | undefined = fault
        ? undefined
        : core.handle({ method: 'GET', path: watching(path), user });
      if (answer?.type !== 'watch') {
        let isStopped = false;
        const why = fault ?? faultOf(answer);
        later(() => {
          if (!isStopped) listener.ended(why);
        });
        return () => {
          isStopped = true;
        };
      }
      const stop = pump(answer.watch, { listener, later, ended: () => watches.delete(stop) });
      watches.add(stop);
      return () => {
        watches.delete(stop);
        stop();
      };
    },
    close() {
      isClosed = true;
      for (const stop of watches) stop();
      watches.clear();
    },
  };
}

function pump(
  watch: ObjectWatch,
  {
    listener,
    later,
    ended,
  }: { readonly listener: WatchListener; readonly later: (run: () => void) => void; readonly ended: () => void },
): () => void {
  let isStopped = false;
  const read = (): void => {
    if (isStopped) return;
    const { events, isEnded } = watch.read(BATCH);
    if (events.length > 0) listener.events(events);
    if (isStopped) return; // the listener may have stopped the watch meanwhile
    if (isEnded) {
      ended();
      return listener.ended(undefined);
    }
    watch.onReadable(() => later(read));
  };
  watch.onReadable(() => later(read));
  return () => {
    isStopped = true;
    watch.close();
  };
}

const watching = (path: string): string =>
  /[?&]watch=(1|true)(&|$)/.test(path) ? path : `${path}${path.includes('?') ? '&' : '?'}watch=true`;

export function outcomeOf(answer: CoreAnswer): ApiOutcome<unknown> {
  switch (answer.type) {
    case 'object':
      return { ok: true, value: answer.object };
    case 'list':
      return { ok: true, value: listOf(answer.kind, answer) };
    case 'failure':
      return { ok: false, fault: refused(answer.status) };
    case 'watch':
      answer.watch.close();
      return { ok: false, fault: { kind: 'not-sent', message: 'a watch is opened by `watch`, not called' } };
    default:
      return answer satisfies never;
  }
}

/** Returns a list as it is sent: its items do not repeat their kind. */
export function listOf(
  kind: ApiKind,
  { metadata, items }: { readonly metadata: object; readonly items: readonly ApiObject[] },
): object {
  return {
    kind: `${kind.kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata,
    items: items.map(withoutKind),
  };
}

/** Returns a list item: the object without its kind. */
export function withoutKind(object: ApiObject): object {
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object;
  return item;
}

const refused = ({ code, reason = '', message, details }: FailureStatus): ApiFault => ({
  kind: 'refused',
  code,
  reason: reason || reasonOfCode(code),
  message,
  ...(details?.retryAfterSeconds !== undefined && { retryAfterMs: details.retryAfterSeconds * 1000 }),
});

function faultOf(answer: CoreAnswer | undefined): ApiFault {
  if (answer?.type === 'failure') return refused(answer.status);
  return { kind: 'not-sent', message: 'this path cannot be watched' };
}
