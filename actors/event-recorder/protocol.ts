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

/** One Event object of the API, with its count. */
export interface RecordedEvent {
  readonly key: string;
  readonly event: EventToRecord;
  name: string;
  message: string;
  count: number;
  firstAt: WallMs;
  lastAt: WallMs;
  /** `perhaps` when the answer to a write was lost. */
  inApi: 'no' | 'perhaps' | 'yes';
  /** When the oldest unwritten change happened; `undefined` when everything is written. */
  waitingSince: MonotonicMs | undefined;
}

/** The next write of one event. */
export interface EventWrite {
  readonly verb: 'create' | 'patch';
  readonly recorded: RecordedEvent;
  /** The count when the write was decided. Repetitions during the write are written afterwards. */
  readonly count: number;
}

export interface EventFigures {
  /** Events received by the recorder. */
  readonly recorded: number;
  /** Calls that succeeded. */
  readonly written: number;
  /** Events dropped because one object had too many. */
  readonly spam: number;
  /** Events dropped because they were too old, too many, or rejected by the API server. */
  readonly dropped: number;
  readonly waiting: number;
}

export const EVENT_RECORDER = addressOf<EventRecorderProtocol>('event-recorder');
