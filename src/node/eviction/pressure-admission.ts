import type { Pod } from '../../kube/pod.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';
import { qosClass } from '../../pod/values/qos.ts';
import type { Rejection } from '../admission/admission.ts';
import type { Pressures } from '../object/node-conditions.ts';
import { isTolerated } from '../admission/taints.ts';

const MEMORY_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

/**
 * Returns why a node under pressure rejects a pod (concept: node-pressure eviction); `undefined` when the pod is
 * admitted. Under memory pressure alone, pods with a memory request are still admitted.
 */
export function pressureRejection(pod: Pod, pressures: Pressures): Rejection | undefined {
  const conditions = [
    ...(pressures.memory ? ['MemoryPressure'] : []),
    ...(pressures.disk ? ['DiskPressure'] : []),
    ...(pressures.pid ? ['PIDPressure'] : []),
  ];
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  if (conditions.length === 1 && pressures.memory) {
    if (qosClass(pod) !== 'BestEffort' || isTolerated(MEMORY_TAINT, pod.spec.tolerations ?? [])) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${conditions.join(', ')}]. ` };
}
