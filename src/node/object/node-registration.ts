import type { Node, NodeStatus, NodeTaint } from '../../kube/node.ts';
import { type Keyed, hasOwn, own, put } from '../../kube/text/own.ts';
import { isHugePagesResource } from './node-capacity.ts';

/** What the configuration says of the Node object. */
export interface RegistrationSettings {
  readonly nodeName: string;
  /** Also the value of the host name label. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  readonly providerId: string;
  readonly externalCloudProvider: boolean;
  readonly controllerManagedAttach: boolean;
  readonly nodeIps: readonly string[];
}

export interface Platform {
  readonly operatingSystem: string;
  readonly architecture: string;
}

export const CONTROLLER_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
export const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';
const UNINITIALIZED: NodeTaint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

/** The labels a node keeps on its object for as long as it has a value for them. All others it gives once. */
const DEFAULT_LABELS = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

export const platformLabels = ({ operatingSystem, architecture }: Platform): Readonly<Record<string, string>> => ({
  'kubernetes.io/os': operatingSystem,
  'kubernetes.io/arch': architecture,
  'beta.kubernetes.io/os': operatingSystem,
  'beta.kubernetes.io/arch': architecture,
});

/** The object a node registers with. */
export function initialNode(settings: RegistrationSettings, platform: Platform, status: NodeStatus): Node {
  const { nodeName, providerId, externalCloudProvider } = settings;
  const annotations = annotationsOf(settings);
  const taints: readonly NodeTaint[] = [
    ...settings.taints.map(({ key, value, effect }) => ({ key, effect, ...(value === '' ? {} : { value }) })),
    ...(externalCloudProvider ? [UNINITIALIZED] : []),
  ];
  const spec = {
    ...(providerId === '' ? {} : { providerID: providerId }),
    ...(taints.length === 0 ? {} : { taints }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      labels: { 'kubernetes.io/hostname': nodeName, ...platformLabels(platform), ...settings.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    status,
  };
}

function annotationsOf(settings: RegistrationSettings): Readonly<Record<string, string>> {
  const { controllerManagedAttach, externalCloudProvider, nodeIps } = settings;
  return {
    ...(controllerManagedAttach ? { [CONTROLLER_ATTACH]: 'true' } : {}),
    ...(externalCloudProvider && nodeIps.length > 0 ? { [PROVIDED_NODE_IP]: nodeIps.join(',') } : {}),
  };
}

/**
 * What is to be patched on an object that was there before this agent: only what a node keeps for itself. Labels, taints and
 * annotations of anybody else stay, and so do those that this node once gave itself and is not told to give any more.
 * Undefined: nothing.
 */
export function registrationPatch(existing: Node, wanted: Node): object | undefined {
  const labels = ownLabelChanges(existing, wanted.metadata.labels ?? {});
  const annotations = annotationChanges(existing, wanted);
  if (labels === undefined && annotations === undefined) return undefined;
  return {
    metadata: {
      ...(existing.metadata.uid === undefined ? {} : { uid: existing.metadata.uid }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  };
}

/** Those of the default labels that are not as this node has them. Undefined: all are. */
export function ownLabelChanges(
  { metadata }: Node,
  wanted: Keyed<string>,
): Readonly<Record<string, string>> | undefined {
  const changed = DEFAULT_LABELS.filter(
    (label) => own(wanted, label) !== undefined && own(wanted, label) !== own(metadata.labels, label),
  );
  return changed.length === 0
    ? undefined
    : Object.fromEntries(changed.map((label) => [label, own(wanted, label) ?? '']));
}

function annotationChanges(existing: Node, wanted: Node): Readonly<Record<string, string | null>> | undefined {
  const changed: Record<string, string | null> = {};
  for (const name of [CONTROLLER_ATTACH, PROVIDED_NODE_IP]) {
    const before = own(existing.metadata.annotations, name);
    const after = own(wanted.metadata.annotations, name);
    if (before === after) continue;
    // An address that an earlier agent was given is the cloud provider's to read, and nobody's to take away.
    if (after === undefined && name === PROVIDED_NODE_IP) continue;
    put(changed, name, after ?? null);
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/** Sizes of huge pages that this machine does not have (any more) are the node's own to take out of its capacity. */
export const withoutForeignHugePages = (capacity: Readonly<Record<string, string | number>>, own: object) =>
  Object.fromEntries(
    Object.entries(capacity).filter(([resource]) => !isHugePagesResource(resource) || hasOwn(own, resource)),
  );
