import type { ProbeFigures } from './metrics.ts';
import type { ProbedContainer, ProbeSpec } from './protocol.ts';
import type { ProbeState } from './state.ts';

/** What is kept of one pod, and of each running container of it. */
export interface WatchedPod {
  name: string;
  namespace: string;
  /** By container name. */
  readonly containers: Map<string, WatchedContainer>;
}

export interface WatchedContainer {
  told: ProbedContainer;
  isStarted: boolean;
  readonly probes: Map<ProbeSpec['kind'], WatchedProbe>;
}

/** One probe of one container instance: thousands of these, each asleep in the timer wheel most of the time. */
export interface WatchedProbe {
  spec: ProbeSpec;
  state: ProbeState;
  readonly figures: ProbeFigures;
  /** Wall clock, when it is or was due. */
  dueAt: number;
  /** Undefined while nothing is armed. */
  disarm: (() => void) | undefined;
  /** A run is under way; never two. */
  isRunning: boolean;
  /** It is not wanted any more: what is still to come of it is dropped. */
  isOver: boolean;
}
