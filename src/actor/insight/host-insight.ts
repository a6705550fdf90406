import type { ActorCell, CellFigures } from '../actor-cell.ts';
import { elapsedMs, type Clock, type ThreadMs } from '../clock.ts';
import { FlightRecorder, type FlightEntry } from './flight-recorder.ts';
import { KindCounts, kindFigures, type KindFigures } from './kind-figures.ts';
import type { Mail } from '../messages/mailbox.ts';
import { kindOf, type Address } from '../messages/message.ts';
import { TraceStore, type TraceStep } from './trace-store.ts';

export interface HostFigures {
  readonly deadLetters: number;
  readonly deadLettersByKind: Readonly<Record<string, number>>;
  readonly pendingAsks: number;
  readonly timers: number;
  readonly actors: Readonly<Record<Address, CellFigures>>;
  readonly kinds: Readonly<Record<string, KindFigures>>;
}

/** Keeps a thread's traces, figures and last messages read. */
export class HostInsight {
  readonly #thread: string;
  readonly #clock: Clock;
  readonly #behindMs: number;
  readonly #counts = new Map<string, KindCounts>();
  readonly #recorder: FlightRecorder;
  readonly #traces = new TraceStore();

  /** `behindMs`: how far the dispatcher's time scale is behind the scale that all threads share. */
  constructor(
    thread: string,
    how: { readonly clock: Clock; readonly behindMs: number; readonly flight: SharedArrayBuffer | undefined },
  ) {
    this.#thread = thread;
    this.#clock = how.clock;
    this.#behindMs = how.behindMs;
    this.#recorder = new FlightRecorder(how.flight);
  }

  countsOf(kind: string): KindCounts {
    let counts = this.#counts.get(kind);
    if (counts === undefined) this.#counts.set(kind, (counts = new KindCounts()));
    return counts;
  }

  /** Called just before a message is read, at instant `at` of the dispatcher's clock. */
  reading(cell: ActorCell, mail: Mail, at: ThreadMs): void {
    this.#recorder.note(cell.spec.address, mail, at + this.#behindMs);
  }

  /** Called after a message was read. Reading took `ms`. */
  hasRead(cell: ActorCell, mail: Mail, ms: number): void {
    const { spec, counts } = cell;
    counts.handled++;
    counts.times.add(ms);
    const { mark, from, message } = mail;
    const trace = mark?.trace;
    if (trace === undefined) return;
    const at = mark?.at ?? 0;
    const waitedMs = Math.max(0, elapsedMs(at, this.#clock.monotonic()) - ms);
    const question = mail.reply !== undefined;
    const step = { trace, thread: this.#thread, from, to: spec.address, message: message.type, question };
    const about = cell.about(message);
    this.#traces.add({ ...step, ...(about !== undefined && { about }), at, waitedMs, handledMs: ms });
  }

  trace(trace: string): readonly TraceStep[] {
    return this.#traces.of(trace);
  }

  flight(atMost?: number): readonly FlightEntry[] {
    return this.#recorder.last(atMost);
  }

  of(cells: ReadonlyMap<Address, ActorCell>): Pick<HostFigures, 'actors' | 'kinds'> {
    const actors = new Map<Address, CellFigures>();
    const depths = new Map<string, number[]>();
    for (const [address, cell] of cells) {
      actors.set(address, cell.figures);
      const kind = kindOf(address);
      const known = depths.get(kind);
      if (known === undefined) depths.set(kind, [cell.depth]);
      else known.push(cell.depth);
    }
    const kinds = [...this.#counts].map(
      ([kind, counts]) => [kind, kindFigures(counts, depths.get(kind) ?? [])] as const,
    );
    return { actors: Object.fromEntries(actors), kinds: Object.fromEntries(kinds) };
  }
}
