import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { ApiClient } from '../../src/api/api-client.ts';
import { eventsPath } from '../../src/api/api-path.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { eventObject, eventPatch, namespaceOf } from './event-object.ts';
import type { EventFigures, EventRecorderProtocol, EventWrite } from './protocol.ts';
import { type EventLimits, EventWrites } from './event-writes.ts';
import { dutyOf, timedCall } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface EventRecorderDeps {
  readonly api: Pick<ApiClient, 'create' | 'patch'>;
  readonly nodeName: string;
  readonly limits: EventLimits;
}

/** Interval of log lines about dropped events. */
const REPORT_EVERY_MS = 60_000;

/** Writes events to the API: counted, rate-limited, and never at the expense of other calls. */
export class EventRecorder implements Actor<EventRecorderProtocol> {
  readonly #context: ActorContext<EventRecorderProtocol>;
  readonly #writing: Duty;
  readonly #deps: EventRecorderDeps;
  readonly #state: EventWrites;
  #timer: (() => void) | undefined;
  #reported = 0;
  #reportDue = false;

  constructor(context: ActorContext<EventRecorderProtocol>, deps: EventRecorderDeps) {
    this.#context = context;
    this.#writing = dutyOf(context, {
      work: 'write events',
      follows: 'events about the node and its pods are lost',
      rhythm: 'on-demand',
    });
    this.#deps = deps;
    this.#state = new EventWrites(deps.limits);
  }

  tell(command: EventRecorderProtocol['command']): void {
    switch (command.type) {
      case 'record-event':
        this.#state.record(command.event, command.at, this.#context.clock.monotonic());
        return this.#goOn();
      case 'event-written':
        this.#state.written(command.write, command.outcome, this.#context.clock.monotonic());
        return this.#goOn();
      case 'write-due':
        this.#timer = undefined;
        return this.#goOn();
      default:
        assertNever(command, 'event recorder command');
    }
  }

  ask(): EventFigures {
    return this.#state.figures();
  }

  #goOn(): void {
    const { clock, self } = this.#context;
    const now = clock.monotonic();
    for (const write of this.#state.next(now)) {
      const attempt = this.#writing.attempt(`the ${write.verb} of an event`);
      const done = timedCall(attempt, this.#write(write)).then((outcome) =>
        self.tell({ type: 'event-written', write, outcome }),
      );
      this.#context.supervise(done);
    }
    this.#report();
    const at = this.#state.nextAt(now);
    if (at === undefined || this.#timer !== undefined) return;
    this.#timer = clock.after(Math.max(1, at - now), () => self.tell({ type: 'write-due' }));
  }

  #write({ verb, recorded }: EventWrite) {
    const { api, nodeName } = this.#deps;
    const namespace = namespaceOf(recorded);
    return verb === 'create'
      ? api.create(eventsPath(namespace), eventObject(recorded, { component: 'kubelet', host: nodeName }), 'event')
      : api.patch(
          eventsPath(namespace, recorded.name),
          { type: 'strategic-merge', body: eventPatch(recorded) },
          'event',
        );
  }

  /** Dropped events reach no reader of the API, so the log at least counts them. */
  #report(): void {
    if (this.#reportDue || this.#state.figures().dropped === this.#reported) return;
    this.#reportDue = true;
    this.#context.clock.after(REPORT_EVERY_MS, () => {
      this.#reportDue = false;
      const { dropped } = this.#state.figures();
      this.#context.log.warn(
        { events: dropped - this.#reported },
        'events could not be written to the API and were dropped',
      );
      this.#reported = dropped;
    });
  }
}
