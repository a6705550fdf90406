import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import type { EventFigures, EventWrite } from './state.ts';

/** Messages that other actors send to the event recorder. */
export type EventRecorderCommand =
  /** From any actor. `at` is the wall-clock instant of the event. */
  { readonly type: 'record-event'; readonly event: EventToRecord; readonly at: number };

/** Own reports. */
export type EventRecorderReport = {
  readonly type: 'event-written';
  readonly write: EventWrite;
  readonly outcome: ApiOutcome<unknown>;
};

/** Own timers. */
export type EventRecorderTimer = { readonly type: 'write-due' };

export interface EventRecorderProtocol {
  readonly command: EventRecorderCommand | EventRecorderReport | EventRecorderTimer;
  readonly question: { readonly type: 'event-figures' };
  readonly answers: { readonly 'event-figures': EventFigures };
}

export const EVENT_RECORDER = addressOf<EventRecorderProtocol>('event-recorder');
