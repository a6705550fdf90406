import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged, WatchNotice } from '../api-gateway/protocol.ts';

/** Commands from other actors. */
export type PodSourceApiCommand =
  /** From a restarted pod manager: send all pods again. */
  { readonly type: 'send-all' } | WatchNotice | ApiHealthChanged;

/** Time to send the session's current number, by which the pod manager detects lost messages. */
export type PodSourceApiTimer = { readonly type: 'heartbeat-due' };

export interface PodSourceApiProtocol {
  readonly command: PodSourceApiCommand | PodSourceApiTimer;
  readonly question: never;
  readonly answers: object;
}

export const POD_SOURCE_API = addressOf<PodSourceApiProtocol>('pod-source-api');
