/**
 * The order in which calls go when more are wanted than may be made at once: `lease` before all others. `event` and
 * `review` (which identify the node's clients) each have a share of their own.
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
  /** Set for a patch only. */
  readonly patchType?: PatchType;
  readonly priority: ApiPriority;
}

/**
 * `true` if the caller reads only the outcome and not the object in the answer: events and deletions. A full node
 * causes thousands of such answers when it starts or ends. They are not parsed: the value is `undefined`.
 */
export const isUnread = ({ verb, priority }: ApiRequest): boolean => verb === 'delete' || priority === 'event';

/** The reason why a call failed, or got an unexpected answer. */
export type ApiFault =
  /**
   * The server's `Status`: `code` is the HTTP status, `reason` Kubernetes' own word (`NotFound`, `Conflict`, `Expired`
   * …).
   */
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** There was no connection, or the connection broke. The effect of the call is unknown. */
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'timed-out'; readonly message: string }
  /** The answer is not JSON, or not an answer of a Kubernetes API server. The effect of the call is unknown. */
  | { readonly kind: 'unreadable'; readonly message: string }
  /** Never sent: too many calls wait already, or the call was lost inside the agent. */
  | { readonly kind: 'not-sent'; readonly message: string };

export type ApiOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: ApiFault };

export const isRefused = (fault: ApiFault, reason: string): boolean =>
  fault.kind === 'refused' && fault.reason === reason;
export const isNotFound = (fault: ApiFault): boolean => isRefused(fault, 'NotFound');
export const isForbidden = (fault: ApiFault): boolean => isRefused(fault, 'Forbidden');
export const isConflict = (fault: ApiFault): boolean => isRefused(fault, 'Conflict');
export const isAlreadyExists = (fault: ApiFault): boolean => isRefused(fault, 'AlreadyExists');

/** One line for a log or an event. */
export const apiFaultText = (fault: ApiFault): string => fault.message;
