import type * as fc from 'fast-check';

/** What went wrong with one case. */
export interface Problem {
  readonly kind:
    /** An error nobody expected, or an actor that crashed. */
    | 'defect'
    /** A handler that took longer than it may. */
    | 'slow'
    /** A thread that was lost: it hung, ran out of memory, or ended. */
    | 'thread-lost'
    /** Something was written outside the folders of the agent. */
    | 'outside-the-root'
    /** An ordinary pod, or another client, was affected. */
    | 'others-touched'
    /** Something was left behind after the hostile object was gone. */
    | 'left-behind'
    /** A client did what it has no right to. */
    | 'privilege'
    /** An answer that no reader should get. */
    | 'bad-answer';
  /** A place or an object; findings with the same kind and place are one. */
  readonly where: string;
  readonly detail: string;
}

export interface Verdict {
  /** What became of the case, in a few words. Runs count how many different ones there are. */
  readonly outcome: string;
  readonly problems: readonly Problem[];
  /** Thread time of the longest handler. */
  readonly slowestMs: number;
  readonly slowest: string;
}

/** What cases are fed to: kept from case to case while it is sound. */
export interface Bench<Case> {
  run(given: Case): Promise<Verdict>;
  close(): Promise<void>;
}

export interface Target<Case = unknown> {
  readonly name: string;
  /** How long a handler may take. */
  readonly allowedMs: number;
  /** Plain data, so that a case can be kept as JSON. */
  readonly cases: fc.Arbitrary<Case>;
  open(): Promise<Bench<Case>>;
}
