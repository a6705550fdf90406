import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged, WatchNotice } from '../api-gateway/protocol.ts';

/** What the API source can be told. */
export type PodSourceApiCommand =
  /** Of a pod manager that starts anew: say everything again. */
  | { readonly type: 'send-all' }
  /** Its own timer: the pod manager is to see whether it has heard all. */
  | { readonly type: 'show-life' }
  | WatchNotice
  | ApiHealthChanged;

export interface PodSourceApiProtocol {
  readonly command: PodSourceApiCommand;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_API = addressOf<PodSourceApiProtocol>('pod-source-api');
