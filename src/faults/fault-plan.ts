import type { FaultCode } from '../actor/fault.ts';
import type { CriFaultCode } from '../cri/fault.ts';
import type { CriMethodName } from '../cri/methods.ts';
import type { PodFiles } from '../host/pod-files.ts';

/** What is to go wrong, how often, and how much of it at most. Plain data; README.md here describes how it is written. */
export interface FaultPlan {
  /** Decides for every rule which of its matches chance picks: the same seed picks the same ones. */
  readonly seed: number;
  readonly blastRadius: BlastRadius;
  readonly rules: readonly FaultRule[];
}

/** What the whole plan may do at most, whatever its rules say. */
export interface BlastRadius {
  /** Different actors that anything is done to. */
  readonly maxActors: number;
  /** Different threads that are made to fail. Each takes all its actors with it, which are not counted one by one. */
  readonly maxThreads: number;
  /** Then the plan ends, and what it has done is undone. */
  readonly maxMinutes: number;
}

export const defaultBlastRadius: BlastRadius = { maxActors: 10, maxThreads: 1, maxMinutes: 10 };

export interface FaultRule {
  readonly match: FaultMatch;
  readonly when: FaultWhen;
  readonly action: FaultAction;
}

/** Where faults enter. `thread`: the thread itself, at a time, whatever it is doing. */
export const seams = ['mailbox', 'link', 'thread', 'cri', 'api', 'files', 'clock'] as const;
export type Seam = (typeof seams)[number];

/**
 * What a rule looks at. A field that is absent fits everything. `actor` is an address (`pleg`), a kind (`pod-worker`) or an
 * address with `*` for any text; several of them fit when one does.
 */
export type FaultMatch =
  | {
      readonly at: 'mailbox' | 'link';
      readonly actor?: string | readonly string[];
      readonly message?: string;
      /** At the mailbox the receiver's, at the link the sender's. */
      readonly thread?: string;
    }
  | { readonly at: 'thread'; readonly thread: string }
  | { readonly at: 'cri'; readonly criMethod?: FaultyCriMethod; readonly thread?: string }
  | { readonly at: 'api'; readonly apiVerb?: ApiVerb; readonly apiResource?: string; readonly thread?: string }
  | { readonly at: 'files'; readonly file?: FileOperation; readonly path?: string; readonly thread?: string }
  | { readonly at: 'clock'; readonly thread?: string };

/**
 * Kubernetes' own verbs, of which `watch` is the opening of one; `watch-event` is each event of those that are open. In capitals,
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
/** Cgroups are files, too. */
export type FileOperation = keyof PodFiles | 'setCgroup' | 'removeCgroup';

/** Which matches of a rule it acts on. Durations in milliseconds since the plan was applied. */
export interface FaultWhen {
  /** This one only, counted from 1. */
  readonly nth?: number;
  /** This part of them, from 0 to 1. */
  readonly rate?: number;
  /** Those from then on only; what comes earlier is not counted. */
  readonly afterMs?: number;
  /** Not on a match but by itself, at that time. */
  readonly atMs?: number;
  readonly atMost?: number;
}

/** What is done. Each seam can do some of it only: see `actionsAt`. */
export type FaultAction =
  | { readonly type: 'crash'; readonly reason?: string }
  /** Of an actor: it reads nothing. Of a CRI call: it is held back. Without `forMs` until the plan ends. */
  | { readonly type: 'hang'; readonly forMs?: number }
  | { readonly type: 'delay'; readonly delayMs: number }
  /** `lose` says which half of a CRI call gets lost; the caller hears nothing until its deadline either way. */
  | { readonly type: 'drop'; readonly lose?: 'request' | 'answer' }
  | { readonly type: 'duplicate'; readonly times?: number }
  | { readonly type: 'reorder'; readonly atMostMs?: number }
  | { readonly type: 'error'; readonly code: ErrorCode; readonly text?: string }
  | { readonly type: 'exit-thread' }
  /** A busy loop. Without `forMs` until the thread is ended. */
  | { readonly type: 'hang-thread'; readonly forMs?: number }
  /** It waits for something that never comes, using no CPU. */
  | { readonly type: 'block-thread' }
  /** A rejection that nobody handles. */
  | { readonly type: 'reject-in-thread' }
  | { readonly type: 'exhaust-heap' }
  | { readonly type: 'exhaust-buffers' }
  /** The wall clock is set forward, or back. */
  | { readonly type: 'step'; readonly byMs: number }
  /** The wall clock runs so many times as fast. */
  | { readonly type: 'skew'; readonly factor: number };
export type ActionType = FaultAction['type'];
export type FaultActionOf<T extends ActionType> = Extract<FaultAction, { readonly type: T }>;

/** A gRPC code at the CRI seam, a status at the API seam, a fault code at mailbox and link, an errno name at the files. */
export type ErrorCode = CriFaultCode | FaultCode | FileErrorCode | ApiErrorCode;

/** Statuses of HTTP, and what becomes of a connection, at the API seam. */
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

/** What each seam can do. */
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
