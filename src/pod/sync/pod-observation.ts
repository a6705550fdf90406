import type { Container, Pod } from '../../kube/pod.ts';
import type { ProbeVerdicts } from '../values/probe-readiness.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** The action that a running container needs when its allocated and actuated resources differ. */
export type ResizeVerdict = 'none' | 'in-place' | 'restart';

/** Everything known about a pod when its actions are computed. */
export interface PodObservation {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  /** When absent, no probe has a result. */
  readonly probes?: ProbeVerdicts;
  /** When absent, nothing is resized. */
  readonly resize?: (container: Container, running: RuntimeContainer) => ResizeVerdict;
  /** Reported exit codes of containers whose records the runtime has lost. */
  readonly reportedExits?: ReadonlyMap<string, number>;
  /**
   * Names of ephemeral containers that were ever reported as running or ended. They start once in their life, whatever
   * records the runtime has lost since.
   */
  readonly reportedEphemeral?: ReadonlySet<string>;
  /** The pod's condition `AllContainersRestarting` is True. */
  readonly restartAllContainers?: boolean;
}
