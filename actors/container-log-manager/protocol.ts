import { addressOf } from '../../src/actor/messages/message.ts';

/** What the container log manager can be told. All of it comes from itself. */
export type ContainerLogManagerCommand =
  | { readonly type: 'look' }
  /** Undefined: all running containers are known, and their logs have been looked at. */
  | { readonly type: 'looked'; readonly problem: string | undefined }
  | { readonly type: 'handled'; readonly containerId: string; readonly outcome: LogOutcome };

/** What came of a log that was too large, or missing. */
export type LogOutcome =
  | { readonly type: 'rotated' }
  | { readonly type: 'reopened' }
  /** Nothing is to be done: the container has ended, or its log is elsewhere. */
  | { readonly type: 'left-alone' }
  | { readonly type: 'failed'; readonly problem: string };

export interface ContainerLogManagerProtocol {
  readonly command: ContainerLogManagerCommand;
  readonly question: never;
  readonly answers: object;
}

export const CONTAINER_LOG_MANAGER = addressOf<ContainerLogManagerProtocol>('container-log-manager');
