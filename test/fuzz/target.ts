import type * as fc from 'fast-check';

/** A problem that one case caused. */
export interface Problem {
  readonly kind:
    /** An unexpected error, or an actor that crashed. */
    | 'defect'
    /** A handler that exceeded its time. */
    | 'slow'
    /** A thread that was lost: it hung, ran out of memory, or ended. */
    | 'thread-lost'
    /** A file was written outside the folders of the agent. */
    | 'outside-the-root'
    /** An ordinary pod, or another client, was affected. */
    | 'others-touched'
    /** State was left behind after the removal of the hostile object. */
    | 'left-behind'
    /** A client did something without the right to do so. */
    | 'privilege'
    /** An invalid answer. */
    | 'bad-answer';
  /** A place or an object; findings with the same kind and place are the same finding. */
  readonly where: string;
  readonly detail: string;
}

export interface Verdict {
  /** The outcome of the case, in a few words. Runs count the different outcomes. */
  readonly outcome: string;
  readonly problems: readonly Problem[];
  /** Thread time of the longest handler. */
  readonly slowestMs: number;
  readonly slowest: string;
}

/** The target of cases, reused from case to case while it works. */
export interface Bench<Case> {
  run(given: Case): Promise<Verdict>;
  close(): Promise<void>;
}

export interface Target<Case = unknown> {
  readonly name: string;
  /** The longest time of a handler. */
  readonly allowedMs: number;
  /** Plain data, so that a case can be kept as JSON. */
  readonly cases: fc.Arbitrary<Case>;
  open(): Promise<Bench<Case>>;
}
