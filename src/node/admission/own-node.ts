import { platformLabels, type Platform } from '../object/node-registration.ts';
import type { NodeFacts } from '../object/node-facts.ts';
import type { AdmissionNode } from './admission.ts';
import type { Taint } from './taints.ts';

/** The node as it would register, built without an API server. */
export interface OwnNode {
  readonly node: Pick<NodeFacts, 'nodeName' | 'allocatable'>;
  readonly config: { readonly registerWithTaints: readonly Taint[] };
  readonly platform: Platform;
  /** The labels of the command line. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Returns the node that admits static pods until the Node object has been read, and for ever without an API server. Its
 * taints are those that it would register with; its own taints do not apply to static pods.
 */
export const nodeByItself = ({ node, config, platform, labels }: OwnNode): AdmissionNode => ({
  name: node.nodeName,
  labels: { 'kubernetes.io/hostname': node.nodeName, ...platformLabels(platform), ...labels },
  os: platform.operatingSystem,
  allocatable: node.allocatable,
  taints: config.registerWithTaints,
  strictSupplementalGroups: true,
});
