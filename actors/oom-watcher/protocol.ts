import { addressOf } from '../../src/actor/messages/message.ts';

/** What the OOM watcher can be told: only by itself. */
export type OomWatcherCommand = { readonly type: 'look' };

export interface OomWatcherProtocol {
  readonly command: OomWatcherCommand;
  readonly question: never;
  readonly answers: object;
}

export const OOM_WATCHER = addressOf<OomWatcherProtocol>('oom-watcher');
