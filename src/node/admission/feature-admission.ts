import type { FeatureGate, GateLookup } from '../../config/feature-gates.ts';
import type { Pod } from '../../kube/pod.ts';
import type { Rejection } from './admission.ts';

/** What this node says of itself in `status.declaredFeatures` (KEP-5328), and by which gate it can do it. */
const DECLARED = [
  'GuaranteedQoSPodCPUResize',
  'InPlacePodLevelResourcesVerticalScaling',
  'RestartAllContainersOnContainerExits',
] as const;
type DeclaredFeature = (typeof DECLARED)[number];

const GATES: Readonly<Record<DeclaredFeature, FeatureGate>> = {
  // Nothing here gives containers processors of their own, so those of guaranteed pods can be resized as any others can.
  GuaranteedQoSPodCPUResize: 'InPlacePodVerticalScaling',
  InPlacePodLevelResourcesVerticalScaling: 'InPlacePodLevelResourcesVerticalScaling',
  RestartAllContainersOnContainerExits: 'RestartAllContainersOnContainerExits',
};

/** Sorted by name; none where the gate for declaring any is off. */
export const declaredFeatures = (isOn: GateLookup): readonly string[] =>
  isOn('NodeDeclaredFeatures') ? DECLARED.filter((feature) => isOn(GATES[feature])) : [];

/** Whether the node can do all that the pod is described with. Undefined: it can. */
export function featureRejection(pod: Pod, isOn: GateLookup): Rejection | undefined {
  if (!isOn('PodLevelResources') && hasPodLevelResources(pod)) {
    return { reason: 'PodLevelResourcesNotSupported', message: 'PodLevelResources feature gate is disabled' };
  }
  if (!isOn('NodeDeclaredFeatures')) return undefined;
  const declared = declaredFeatures(isOn);
  const missing = needed(pod).filter((feature) => !declared.includes(feature));
  if (missing.length === 0) return undefined;
  const message = `Pod requires node features that are not available: ${missing.join(', ')}`;
  return { reason: 'PodFeatureUnsupported', message };
}

const hasPodLevelResources = ({ spec: { resources = {} } }: Pod): boolean =>
  Object.keys({ ...resources.requests, ...resources.limits }).length > 0;

/** What a node must have declared to be sent such a pod. */
const needed = ({ spec: { containers, initContainers = [] } }: Pod): readonly DeclaredFeature[] =>
  [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  )
    ? ['RestartAllContainersOnContainerExits']
    : [];
