import { addressOf } from '../../src/actor/messages/message.ts';

/** Own timer: a read of the kernel log is due. Other actors send nothing. */
export type OomWatcherTimer = { readonly type: 'read-due' };

export interface OomWatcherProtocol {
  readonly command: OomWatcherTimer;
  readonly question: never;
  readonly answers: object;
}

export const OOM_WATCHER = addressOf<OomWatcherProtocol>('oom-watcher');
