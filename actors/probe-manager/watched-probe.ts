import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ProbeFigures } from './metrics.ts';
import type { ProbedContainer, ProbeSpec } from './protocol.ts';
import type { ProbeState } from './state.ts';

/** The record of one pod and its running containers. */
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

/** One probe of one container instance. There are thousands, each idle in the timer wheel most of the time. */
export interface WatchedProbe {
  spec: ProbeSpec;
  state: ProbeState;
  readonly figures: ProbeFigures;
  /** Wall-clock time at which the probe is or was due. */
  dueAt: MonotonicMs;
  /** `undefined` while no timer is armed. */
  disarm: (() => void) | undefined;
  /** A run is under way; never two at once. */
  isRunning: boolean;
  /** The probe is not wanted any more: a late result is dropped. */
  isOver: boolean;
}
