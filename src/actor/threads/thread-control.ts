import type { MessagePort } from 'node:worker_threads';
import type { Strategy, SupervisorReport, TreeSpec } from '../supervision/child.ts';
import type { FlightEntry } from '../insight/flight-recorder.ts';
import type { Address } from '../messages/message.ts';
import type { HostFigures } from '../insight/host-insight.ts';
import type { TraceStep } from '../insight/trace-store.ts';

/** What a thread is given when it starts. */
export interface ThreadStart {
  readonly thread: string;
  readonly life: number;
  readonly strategy: Strategy;
  /** The actors that always live here, in order of start. They can be written to from the first moment. */
  readonly children: readonly TreeSpec[];
  /** Where the flight recorder writes: the root supervisor reads it when the thread has died. */
  readonly flight: SharedArrayBuffer;
  /** The agent's own; the runtime only carries it. */
  readonly config: unknown;
}

export interface ThreadFigures extends HostFigures {
  readonly thread: string;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  /** Since the thread started. */
  readonly cpuMs: number;
  /** Of one core, and of the time in which the event loop was not idle; since the figures before, or the thread's start. */
  readonly cpuPercent: number;
  readonly eventLoopUtilisation: number;
}

/**
 * Ways a thread can be made to fail on purpose. `hang`: it computes for ever. `wait`: it waits for ever (`Atomics.wait`).
 * `reject`: a rejection that nobody handles. `exhaust-heap`: it runs into its heap limit. `exhaust-buffers`: it keeps more
 * memory outside the heap than it may. `abort`: it asks for so much at once that the whole process is ended by it, limit or not.
 */
export const provocations = [
  'exit',
  'throw',
  'reject',
  'hang',
  'wait',
  'exhaust-heap',
  'exhaust-buffers',
  'abort',
] as const;
export type Provocation = (typeof provocations)[number];

/** What the root supervisor says to a thread: the control plane, carried by comlink. Actor messages never travel here. */
export interface ThreadControl {
  connect(thread: string, port: MessagePort): void;
  disconnect(thread: string): void;
  /** In order; each is started when the one before it runs. */
  startActors(): Promise<void>;
  /** In reverse order of start; before them, together, those that were started by messages. */
  stopActors(): Promise<void>;
  /** Says with its answer how much memory the thread holds outside its heap. */
  ping(): { readonly externalBytes: number };
  figures(): ThreadFigures;
  /** The steps of one trace that happened here and are still known. */
  trace(trace: string): readonly TraceStep[];
  /** The last messages that actors here have read, oldest first. */
  flight(): readonly FlightEntry[];
  crashActor(address: Address, reason: string): boolean;
  provoke(how: Provocation): void;
  /** Has the plan's rules applied from now on, in place of an earlier plan's; `undefined`: none. The plan is the agent's own. */
  setFaults(plan: unknown): void;
  /** What has been done in the name of the present plan, as its seam tells it. */
  faults(): unknown;
  /** What this thread spends the next `durationMs` on: a `.cpuprofile`. */
  cpuProfile(durationMs: number): Promise<string>;
  /** Writes this thread's heap to a file; the thread stands still meanwhile. */
  heapSnapshot(path: string): void;
  /** Writes down what this thread has compiled, for the next process; the thread stands still meanwhile. */
  keepCompiled(): void;
  /** How much this thread logs from now on, as `--v`. */
  setVerbosity(verbosity: number): void;
  /** Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
}

/** What a thread says to the root supervisor, unasked. */
export interface ThreadEvents {
  report(report: SupervisorReport): void;
  escalate(child: string, reason: string): void;
}
