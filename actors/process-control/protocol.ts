import { addressOf } from '../../src/actor/messages/message.ts';

export type ProcessControlQuestion =
  | { readonly type: 'metrics-text' }
  | { readonly type: 'thread-names' }
  /** A CPU profile of a thread over `durationMs`. */
  | { readonly type: 'cpu-profile'; readonly thread: string; readonly durationMs: number }
  /** A heap snapshot of a thread, written to a file. */
  | { readonly type: 'heap-snapshot'; readonly thread: string; readonly path: string }
  /** Sets the log verbosity of all threads, as `--v` does. */
  | { readonly type: 'set-verbosity'; readonly verbosity: number };

export interface ProcessControlProtocol {
  readonly command: never;
  readonly question: ProcessControlQuestion;
  readonly answers: {
    /** Prometheus text of all threads. */
    readonly 'metrics-text': string;
    readonly 'thread-names': readonly string[];
    /** `undefined` when there is no such thread now. */
    readonly 'cpu-profile': string | undefined;
    /** `false` when there is no such thread now. */
    readonly 'heap-snapshot': boolean;
    readonly 'set-verbosity': undefined;
  };
}

export const PROCESS_CONTROL = addressOf<ProcessControlProtocol>('process-control');
