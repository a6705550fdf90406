import type { MessagePort } from 'node:worker_threads';
import type { CellFigures } from './actor-cell.ts';
import type { ChildSpec, SupervisorReport } from './child.ts';
import type { Address } from './message.ts';

/** What a thread is given when it starts. */
export interface ThreadStart {
  readonly thread: string;
  readonly life: number;
  /** The actors that always live here, in order of start. They can be written to from the first moment. */
  readonly actors: readonly ChildSpec[];
  /** The agent's own; the runtime only carries it. */
  readonly config: unknown;
}

export interface ThreadFigures {
  readonly thread: string;
  readonly deadLetters: number;
  readonly pendingAsks: number;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  readonly cpuMs: number;
  readonly actors: Readonly<Record<Address, CellFigures>>;
}

/** Ways a thread can be made to fail on purpose. */
export type Provocation = 'exit' | 'throw' | 'hang';

/** What the root supervisor says to a thread: the control plane, carried by comlink. Actor messages never travel here. */
export interface ThreadControl {
  connect(thread: string, port: MessagePort): void;
  disconnect(thread: string): void;
  /** In order; each is started when the one before it runs. */
  startActors(): Promise<void>;
  /** In reverse order of start; before them, together, those that were started by messages. */
  stopActors(): Promise<void>;
  ping(): true;
  figures(): ThreadFigures;
  crashActor(address: Address, reason: string): boolean;
  provoke(how: Provocation): void;
  /** Prometheus text of this thread's metrics, empty when it keeps none. */
  metrics(): Promise<string>;
}

/** What a thread says to the root supervisor, unasked. */
export interface ThreadEvents {
  report(report: SupervisorReport): void;
  escalate(child: string, reason: string): void;
}
