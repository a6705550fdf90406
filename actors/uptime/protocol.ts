import { addressOf } from '../../src/actor/messages/message.ts';

/** The questions to the uptime actor. */
export type UptimeQuestion = { readonly type: 'uptime' };

export interface UptimeProtocol {
  readonly command: never;
  readonly question: UptimeQuestion;
  /** Milliseconds since this incarnation started. */
  readonly answers: { readonly uptime: number };
}

export const UPTIME = addressOf<UptimeProtocol>('uptime');
