import type { FaultCode } from '../actor/fault.ts';
import type { CriFaultCode } from '../cri/fault.ts';
import type { CriMethodName } from '../cri/methods.ts';
import type { PodFiles } from '../host/pod-files.ts';

/** The faults to inject, how often, and their limits. Plain data; README.md here describes the notation. */
export interface FaultPlan {
  /** Seed of the random choice of matches, for every rule: the same seed selects the same matches. */
  readonly seed: number;
  readonly blastRadius: BlastRadius;
  readonly rules: readonly FaultRule[];
}

/** Limits of the whole plan. They also bound rules that would allow more. */
export interface BlastRadius {
  /** Most different actors that may be affected. */
  readonly maxActors: number;
  /**
   * Most different threads that may fail. A thread takes all its actors with it, and these are not counted one by one.
   */
  readonly maxThreads: number;
  /** After this time the plan ends, and its effects are undone. */
  readonly maxMinutes: number;
}

export const defaultBlastRadius: BlastRadius = { maxActors: 10, maxThreads: 1, maxMinutes: 10 };

export interface FaultRule {
  readonly match: FaultMatch;
  readonly when: FaultWhen;
  readonly action: FaultAction;
}

/** The place where faults enter. `thread`: the thread itself, at a set time. */
export const seams = ['mailbox', 'link', 'thread', 'cri', 'api', 'files', 'clock'] as const;
export type Seam = (typeof seams)[number];

/**
 * The events that a rule applies to. An absent field matches everything. `actor` is an address (`pleg`), a kind
 * (`pod-worker`) or an address with `*` for any text. A list matches when one entry does.
 */
export type FaultMatch =
  | {
      readonly at: 'mailbox' | 'link';
      readonly actor?: string | readonly string[];
      readonly message?: string;
      /** The receiver's thread at the mailbox, the sender's at the link. */
      readonly thread?: string;
    }
  | { readonly at: 'thread'; readonly thread: string }
  | { readonly at: 'cri'; readonly criMethod?: FaultyCriMethod; readonly thread?: string }
  | { readonly at: 'api'; readonly apiVerb?: ApiVerb; readonly apiResource?: string; readonly thread?: string }
  | { readonly at: 'files'; readonly file?: FileOperation; readonly path?: string; readonly thread?: string }
  | { readonly at: 'clock'; readonly thread?: string };

/**
 * Kubernetes' own verbs. `watch` is the opening of a watch; `watch-event` is each event of an open watch. In capitals,
 * the methods of HTTP: `GET` is get and list.
 */
export const apiVerbs = [
  'get',
  'list',
  'watch',
  'watch-event',
  'create',
  'update',
  'patch',
  'delete',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
] as const;
export type ApiVerb = (typeof apiVerbs)[number];

/** At `GetContainerEvents` each event of the stream is one match. */
export type FaultyCriMethod = CriMethodName | 'GetContainerEvents';
/** Operations on cgroups count as file operations. */
/** `read` is also `readShared`. */
export type FileOperation = Exclude<keyof PodFiles, 'readShared'> | 'setCgroup' | 'removeCgroup';

/** The matches on which a rule acts. Durations are milliseconds since the plan was applied. */
export interface FaultWhen {
  /** Only this match, counted from 1. */
  readonly nth?: number;
  /** This share of the matches, from 0 to 1. */
  readonly rate?: number;
  /** Only matches from then on. Earlier matches are not counted. */
  readonly afterMs?: number;
  /** At that time, without a match. */
  readonly atMs?: number;
  readonly atMost?: number;
}

/** The action of a rule. Each seam supports some actions only: see `actionsAt`. */
export type FaultAction =
  | { readonly type: 'crash'; readonly reason?: string }
  /** For an actor: it reads nothing. For a CRI call: it is held back. Without `forMs`, until the plan ends. */
  | { readonly type: 'hang'; readonly forMs?: number }
  | { readonly type: 'delay'; readonly delayMs: number }
  /** `lose` is the lost half of a CRI call. Either way the caller gets no answer until its deadline. */
  | { readonly type: 'drop'; readonly lose?: 'request' | 'answer' }
  | { readonly type: 'duplicate'; readonly times?: number }
  | { readonly type: 'reorder'; readonly atMostMs?: number }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly text?: string }
  | { readonly type: 'exit-thread' }
  /** A busy loop. Without `forMs`, until the thread is ended. */
  | { readonly type: 'hang-thread'; readonly forMs?: number }
  /** The thread waits for ever, using no CPU. */
  | { readonly type: 'block-thread' }
  /** An unhandled rejection. */
  | { readonly type: 'reject-in-thread' }
  | { readonly type: 'exhaust-heap' }
  | { readonly type: 'exhaust-buffers' }
  /** The wall clock is set forward or back. */
  | { readonly type: 'step'; readonly byMs: number }
  /** The wall clock runs `factor` times as fast. */
  | { readonly type: 'skew'; readonly factor: number };
export type ActionType = FaultAction['type'];
export type FaultActionOf<T extends ActionType> = Extract<FaultAction, { readonly type: T }>;

/** By seam: a gRPC code (CRI), a status (API), a fault code (mailbox and link), an errno name (files). */
export type ErrorCode = CriFaultCode | FaultCode | FileErrorCode | ApiErrorCode;

/** HTTP statuses and connection failures at the API seam. */
export const apiErrorCodes = [
  '400',
  '401',
  '403',
  '404',
  '409',
  '410',
  '422',
  '429',
  '500',
  '502',
  '503',
  '504',
  'unreachable',
  'unreadable',
] as const;
export type ApiErrorCode = (typeof apiErrorCodes)[number];

export const fileErrorCodes = ['EACCES', 'EBUSY', 'EDQUOT', 'EIO', 'EMFILE', 'ENOENT', 'ENOSPC', 'EROFS'] as const;
export type FileErrorCode = (typeof fileErrorCodes)[number];

const threadActions = [
  'exit-thread',
  'hang-thread',
  'block-thread',
  'reject-in-thread',
  'exhaust-heap',
  'exhaust-buffers',
] as const satisfies readonly ActionType[];
export type ThreadAction = (typeof threadActions)[number];

/** The actions that each seam supports. */
export const actionsAt: Readonly<Record<Seam, readonly ActionType[]>> = {
  mailbox: ['crash', 'hang', 'delay', 'drop', 'duplicate', 'reorder', 'error', ...threadActions],
  link: ['delay', 'drop', 'duplicate', 'reorder', 'error'],
  thread: threadActions,
  cri: ['hang', 'delay', 'drop', 'duplicate', 'reorder', 'error'],
  api: ['hang', 'delay', 'drop', 'duplicate', 'error'],
  files: ['delay', 'drop', 'error'],
  clock: ['step', 'skew', 'delay'],
};

export const isThreadAction = (action: FaultAction): action is FaultActionOf<ThreadAction> =>
  threadActions.some((type) => type === action.type);
