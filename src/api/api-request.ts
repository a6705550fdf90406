/**
 * Which calls go first when more are wanted than may be made at once. In this order, `lease` before all others; `event` and
 * `review`, by which clients of the node are known, each have a share of their own.
 */
export const apiPriorities = ['lease', 'status', 'object', 'event', 'review'] as const;
export type ApiPriority = (typeof apiPriorities)[number];

export type PatchType = 'strategic-merge' | 'merge' | 'json' | 'apply';

/** One call to the API server. */
export interface ApiRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
  /** Path and query below the server's address: `/api/v1/namespaces/a/pods/b/status?…`. */
  readonly path: string;
  /** Sent as JSON; a delete's body is its `DeleteOptions`. */
  readonly body?: object;
  /** Of a patch. */
  readonly patchType?: PatchType;
  readonly priority: ApiPriority;
}

/**
 * Whether nobody reads the object in the answer, only that it was done: so it is with events, and with objects that go. A full
 * node's start and end is told in thousands of such answers, which are not parsed then: the value is undefined.
 */
export const isUnread = ({ verb, priority }: ApiRequest): boolean => verb === 'delete' || priority === 'event';

/** Why there is no answer, or why it is not the one that was wanted. */
export type ApiFault =
  /** The server's `Status`: `code` is the HTTP status, `reason` Kubernetes' own word (`NotFound`, `Conflict`, `Expired` …). */
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** No connection, or it broke: whether the call had its effect is not known. */
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'timed-out'; readonly message: string }
  /** An answer came, and it is not JSON or not what a server of Kubernetes says. Whether the call had its effect is not known. */
  | { readonly kind: 'unreadable'; readonly message: string }
  /** Never sent: too much waits already, or the call lost its way inside the agent. */
  | { readonly kind: 'not-sent'; readonly message: string };

export type ApiOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ApiFault };

export const isRefused = (fault: ApiFault, reason: string): boolean =>
  fault.kind === 'refused' && fault.reason === reason;
export const isNotFound = (fault: ApiFault): boolean => isRefused(fault, 'NotFound');
export const isConflict = (fault: ApiFault): boolean => isRefused(fault, 'Conflict');
export const isAlreadyExists = (fault: ApiFault): boolean => isRefused(fault, 'AlreadyExists');

/** One line for a log or an event. */
export const apiFaultText = (fault: ApiFault): string => fault.message;
