import type { Container, Pod } from '../../kube/pod.ts';
import type { ProbeVerdicts } from '../values/probe-readiness.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** What a difference between allocated and actuated resources asks of a running container. */
export type ResizeVerdict = 'none' | 'in-place' | 'restart';

/** All that is known of a pod when it is decided what to do with it. */
export interface PodObservation {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  /** Without it no probe has a result. */
  readonly probes?: ProbeVerdicts;
  /** Without it nothing is resized. */
  readonly resize?: (container: Container, running: RuntimeContainer) => ResizeVerdict;
  /** Exit codes that were told of containers whose records the runtime has lost. */
  readonly toldExits?: ReadonlyMap<string, number>;
  /** The pod's condition `AllContainersRestarting` is True. */
  readonly restartAllContainers?: boolean;
}
