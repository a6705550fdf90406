import type { MonotonicMs, WallMs } from '../../src/actor/clock.ts';
import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { EventToRecord } from '../../src/kube/event.ts';

/** Messages that other actors send to the event recorder. */
export type EventRecorderCommand =
  /** From any actor. `at` is the wall-clock instant of the event. */
  { readonly type: 'record-event'; readonly event: EventToRecord; readonly at: WallMs };

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

/** One event object of the API: what happened, how often. */
export interface RecordedEvent {
  readonly key: string;
  readonly event: EventToRecord;
  name: string;
  message: string;
  count: number;
  firstAt: WallMs;
  lastAt: WallMs;
  /** As far as is known. `perhaps`: an attempt was made whose outcome was lost. */
  inApi: 'no' | 'perhaps' | 'yes';
  /** Since when there is something to write; undefined: nothing. */
  waitingSince: MonotonicMs | undefined;
}

/** What is to be written of an event now. */
export interface EventWrite {
  readonly verb: 'create' | 'patch';
  readonly recorded: RecordedEvent;
  /** As it was when the write was decided: what comes while it is under way is written after it. */
  readonly count: number;
}

export interface EventFigures {
  /** Told to the recorder. */
  readonly recorded: number;
  /** Calls that succeeded. */
  readonly written: number;
  /** Too many of one object. */
  readonly spam: number;
  /** Given up: too old, too many, or not accepted. */
  readonly dropped: number;
  readonly waiting: number;
}

export const EVENT_RECORDER = addressOf<EventRecorderProtocol>('event-recorder');
