/** A fault to inject into a request, in place of its answer or before it. */
export type InjectedFault =
  | { readonly type: 'answer'; readonly code: number; readonly retryAfterSeconds?: number }
  | { readonly type: 'slow'; readonly delayMs: number }
  /** The connection is cut before the request has its effect, or after it. */
  | { readonly type: 'drop'; readonly when: 'before' | 'after' };

export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
  readonly userAgent: string;
}

/** Called for every request. `undefined` when no fault is injected. */
export type FaultSource = (request: RequestFacts) => InjectedFault | undefined;
