import type { Pod, PodStatus } from '../../kube/pod.ts';
import { rejectionStatusMessage, type Rejection } from '../../node/admission/admission.ts';
import { qosClass } from '../values/qos.ts';

/** Returns the first and last status of a pod that its node rejects. */
export function rejectedStatus({ metadata, spec, status, ...rest }: Pod, rejection: Rejection): PodStatus {
  const { generation } = metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: 'Failed',
    reason: rejection.reason,
    message: rejectionStatusMessage(rejection),
    qosClass: status?.qosClass ?? qosClass({ metadata, spec, ...rest }),
  };
}
