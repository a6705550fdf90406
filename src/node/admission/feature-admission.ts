import type { FeatureGate, GateLookup } from '../../config/feature-gates.ts';
import type { Pod } from '../../kube/pod.ts';
import type { Rejection } from './admission.ts';

/**
 * The features that this node lists in `status.declaredFeatures` (KEP-5328), each with the gate that enables it: of the
 * features of v1.36 the ones that the node has.
 */
const DECLARED = ['InPlacePodLevelResourcesVerticalScaling', 'RestartAllContainersOnContainerExits'] as const;
type DeclaredFeature = (typeof DECLARED)[number];

const GATES: Readonly<Record<DeclaredFeature, FeatureGate>> = {
  InPlacePodLevelResourcesVerticalScaling: 'InPlacePodLevelResourcesVerticalScaling',
  RestartAllContainersOnContainerExits: 'RestartAllContainersOnContainerExits',
};

/** Returns the declared features, sorted by name; empty when the gate for declared features is off. */
export const declaredFeatures = (isOn: GateLookup): readonly string[] =>
  isOn('NodeDeclaredFeatures') ? DECLARED.filter((feature) => isOn(GATES[feature])) : [];

/** Returns why the node does not support a feature that the pod needs; `undefined` when it supports all of them. */
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

/** Returns the features that a node must declare before it is sent such a pod. */
const needed = ({ spec: { containers, initContainers = [] } }: Pod): readonly DeclaredFeature[] =>
  [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  )
    ? ['RestartAllContainersOnContainerExits']
    : [];
