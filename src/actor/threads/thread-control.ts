import type { MessagePort } from 'node:worker_threads';
import type { Strategy, SupervisorReport, TreeSpec } from '../supervision/child.ts';
import type { FlightEntry } from '../insight/flight-recorder.ts';
import type { Address } from '../messages/message.ts';
import type { HostFigures } from '../insight/host-insight.ts';
import type { TraceStep } from '../insight/trace-store.ts';

/** The start data of a thread. */
export interface ThreadStart {
  readonly thread: string;
  readonly life: number;
  readonly strategy: Strategy;
  /** The actors that always live here, in order of start. They accept messages from the first moment. */
  readonly children: readonly TreeSpec[];
  /** The memory of the flight recorder. The root supervisor reads it when the thread has died. */
  readonly flight: SharedArrayBuffer;
  /** The agent's own data; the runtime only carries it. */
  readonly config: unknown;
}

export interface ThreadFigures extends HostFigures {
  readonly thread: string;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  /** Milliseconds since the thread started. */
  readonly cpuMs: number;
  /**
   * Percent of one core; `eventLoopUtilisation` is the share of time in which the event loop was busy. Both since the
   * figures before, or since the thread's start.
   */
  readonly cpuPercent: number;
  readonly eventLoopUtilisation: number;
}

/**
 * Ways to make a thread fail for fault injection. `hang`: computes for ever. `wait`: waits for ever (`Atomics.wait`).
 * `reject`: an unhandled rejection. `exhaust-heap`: reaches its heap limit. `exhaust-buffers`: exceeds its memory
 * outside the heap. `abort`: one allocation so large that it ends the whole process, limit or not.
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

/**
 * The root supervisor's calls into a thread: the control plane, carried by comlink. Actor messages never travel here.
 */
export interface ThreadControl {
  connect(thread: string, port: MessagePort): void;
  disconnect(thread: string): void;
  /** Starts the actors in order; each starts when the previous one runs. */
  startActors(): Promise<void>;
  /** Stops the actors in reverse order of start. The actors started by messages stop before them, together. */
  stopActors(): Promise<void>;
  /** Answers with the memory that the thread holds outside its heap. */
  ping(): { readonly externalBytes: number };
  figures(): ThreadFigures;
  /** Returns the steps of one trace that happened here and are still kept. */
  trace(trace: string): readonly TraceStep[];
  /** Returns the last messages that actors here have read, oldest first. */
  flight(): readonly FlightEntry[];
  crashActor(address: Address, reason: string): boolean;
  provoke(how: Provocation): void;
  /**
   * Applies the plan's rules from now on, in place of an earlier plan's. `undefined` removes them. The plan's type
   * belongs to the agent.
   */
  setFaults(plan: unknown): void;
  /** Returns the effects of the present plan, in the form of its seam. */
  faults(): unknown;
  /** Returns a `.cpuprofile` of this thread over the next `durationMs`. */
  cpuProfile(durationMs: number): Promise<string>;
  /** Writes this thread's heap to a file. The thread stands still meanwhile. */
  heapSnapshot(path: string): void;
  /** Stores this thread's compiled code for the next process. The thread stands still meanwhile. */
  keepCompiled(): void;
  /** Sets the log verbosity of this thread, as `--v`. */
  setVerbosity(verbosity: number): void;
  /** Returns Prometheus text of this thread's metrics. */
  metrics(): Promise<string>;
}

/** A thread's own reports to the root supervisor. */
export interface ThreadEvents {
  report(report: SupervisorReport): void;
  escalate(child: string, reason: string): void;
}
