import type { AgentSettings } from './agent/agent.ts';
import { decideGates } from './config/feature-gates.ts';
import type { AdmissionNode } from './node/admission.ts';
import { appArmorOf } from './node/apparmor-admission.ts';
import { hostReader } from './node/host-reader.ts';
import type { NodeFacts } from './node/node-facts.ts';
import type { AdmissionRules } from './node/pod-admission.ts';

/** What pods are let on by that does not change while the agent runs. */
export const admissionRules = ({ config }: AgentSettings): AdmissionRules => ({
  allowedSysctls: config.allowedUnsafeSysctls,
  appArmor: appArmorOf(hostReader),
  isOn: decideGates(config.featureGates),
  swap: config.memorySwap.swapBehavior === 'LimitedSwap' ? 'limited' : 'none',
});

/** What static pods are judged by until the API has been heard: a node knows itself, and not who has tainted it. */
export const nodeByItself = ({ nodeName, config }: AgentSettings, node: NodeFacts): AdmissionNode => ({
  name: nodeName,
  labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux' },
  os: 'linux',
  allocatable: { ...node.allocatable, pods: config.maxPods },
  taints: [],
  strictSupplementalGroups: true,
});
