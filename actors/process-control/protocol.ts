import { addressOf } from '../../src/actor/messages/message.ts';

export type ProcessControlQuestion =
  | { readonly type: 'metrics-text' }
  | { readonly type: 'thread-names' }
  /** What a thread does for so long. */
  | { readonly type: 'cpu-profile'; readonly thread: string; readonly durationMs: number }
  /** What a thread's heap holds, written to a file. */
  | { readonly type: 'heap-snapshot'; readonly thread: string; readonly path: string }
  /** All threads log so much from now on, as `--v`. */
  | { readonly type: 'set-verbosity'; readonly verbosity: number };

export interface ProcessControlProtocol {
  readonly command: never;
  readonly question: ProcessControlQuestion;
  readonly answers: {
    /** Prometheus text of all threads. */
    readonly 'metrics-text': string;
    readonly 'thread-names': readonly string[];
    /** Undefined: there is no such thread just now. */
    readonly 'cpu-profile': string | undefined;
    /** False: there is no such thread just now. */
    readonly 'heap-snapshot': boolean;
    readonly 'set-verbosity': undefined;
  };
}

export const PROCESS_CONTROL = addressOf<ProcessControlProtocol>('process-control');
