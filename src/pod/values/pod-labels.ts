import type { Pod } from '../../kube/pod.ts';

export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';

/** Returns the labels by which sandboxes and containers in the runtime are assigned to a pod. */
export const podLabels = ({ metadata }: Pod): Record<string, string> => ({
  [POD_NAME_LABEL]: metadata.name,
  [POD_NAMESPACE_LABEL]: metadata.namespace,
  [POD_UID_LABEL]: metadata.uid,
});
