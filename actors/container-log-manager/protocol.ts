import { addressOf } from '../../src/actor/messages/message.ts';

/** Own reports. Other actors send nothing. */
export type ContainerLogManagerReport =
  /** `problem` is `undefined` when the log of every running container was checked. */
  | { readonly type: 'logs-checked'; readonly problem: string | undefined }
  | { readonly type: 'log-handled'; readonly containerId: string; readonly outcome: LogOutcome };

/** Own timers. */
export type ContainerLogManagerTimer = { readonly type: 'check-due' };

/** The outcome for a log that was too large, or missing. */
export type LogOutcome =
  | { readonly type: 'rotated' }
  | { readonly type: 'reopened' }
  /** Nothing to do: the container has ended, or its log is elsewhere. */
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly problem: string };

export interface ContainerLogManagerProtocol {
  readonly command: ContainerLogManagerReport | ContainerLogManagerTimer;
  readonly question: never;
  readonly answers: object;
}

export const CONTAINER_LOG_MANAGER = addressOf<ContainerLogManagerProtocol>('container-log-manager');
