import { addressOf } from '../../src/actor/messages/message.ts';

/** Messages that the container log manager sends to itself. Other actors send none. */
export type ContainerLogManagerCommand =
  | { readonly type: 'look' }
  /** `problem` is `undefined` when the log of every running container was checked. */
  | { readonly type: 'looked'; readonly problem: string | undefined }
  | { readonly type: 'handled'; readonly containerId: string; readonly outcome: LogOutcome };

/** The outcome for a log that was too large, or missing. */
export type LogOutcome =
  | { readonly type: 'rotated' }
  | { readonly type: 'reopened' }
  /** Nothing to do: the container has ended, or its log is elsewhere. */
  | { readonly type: 'left-alone' }
  | { readonly type: 'failed'; readonly problem: string };

export interface ContainerLogManagerProtocol {
  readonly command: ContainerLogManagerCommand;
  readonly question: never;
  readonly answers: object;
}

export const CONTAINER_LOG_MANAGER = addressOf<ContainerLogManagerProtocol>('container-log-manager');
