import type { Pod } from '../../kube/pod.ts';

export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';

// The kubelet's annotations of containers. They carry what a kubelet must know of a container whose pod is gone.
export const CONTAINER_HASH_ANNOTATION = 'io.kubernetes.container.hash';
export const RESTART_COUNT_ANNOTATION = 'io.kubernetes.container.restartCount';
export const TERMINATION_MESSAGE_PATH_ANNOTATION = 'io.kubernetes.container.terminationMessagePath';
export const TERMINATION_MESSAGE_POLICY_ANNOTATION = 'io.kubernetes.container.terminationMessagePolicy';
export const PRE_STOP_ANNOTATION = 'io.kubernetes.container.preStopHandler';
export const PORTS_ANNOTATION = 'io.kubernetes.container.ports';
export const DELETION_GRACE_ANNOTATION = 'io.kubernetes.pod.deletionGracePeriod';
export const TERMINATION_GRACE_ANNOTATION = 'io.kubernetes.pod.terminationGracePeriod';

/** Returns the labels by which sandboxes and containers in the runtime are assigned to a pod. */
export const podLabels = ({ metadata }: Pod): Record<string, string> => ({
  [POD_NAME_LABEL]: metadata.name,
  [POD_NAMESPACE_LABEL]: metadata.namespace,
  [POD_UID_LABEL]: metadata.uid,
});
