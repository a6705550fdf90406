import { addressOf } from '../../src/actor/messages/message.ts';

/** Own timer: a look at the kernel log is due. Other actors send nothing. */
export type OomWatcherCommand = { readonly type: 'look' };

export interface OomWatcherProtocol {
  readonly command: OomWatcherCommand;
  readonly question: never;
  readonly answers: object;
}

export const OOM_WATCHER = addressOf<OomWatcherProtocol>('oom-watcher');
