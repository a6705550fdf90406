import type { Node, NodeStatus, NodeTaint } from '../../kube/node.ts';
import { type Keyed, hasOwn, own, put } from '../../kube/text/own.ts';
import { isSpecified } from './node-addresses.ts';
import { isHugePagesResource } from './node-capacity.ts';

/** The configuration of the Node object. */
export interface RegistrationSettings {
  readonly nodeName: string;
  /** The value is also that of the host name label. */
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

/**
 * The labels that a node keeps up to date on its object while it has a value for them. All others are set only at
 * registration.
 */
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

/** Returns the object with which a node registers. */
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
  const provided = nodeIps.filter(isSpecified);
  return {
    ...(controllerManagedAttach ? { [CONTROLLER_ATTACH]: 'true' } : {}),
    ...(externalCloudProvider && provided.length > 0 ? { [PROVIDED_NODE_IP]: provided.join(',') } : {}),
  };
}

/**
 * Returns the patch for an object that existed before this agent; `undefined` when nothing changes. Only the node's own
 * fields are updated. Labels, taints and annotations of others stay, as do those that this node once set and that are
 * no longer configured.
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

/** Returns the default labels that differ from this node's values; `undefined` when none does. */
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
    // An address that an earlier agent published is read by the cloud provider, so it is never removed.
    if (after === undefined && name === PROVIDED_NODE_IP) continue;
    put(changed, name, after ?? null);
  }
  return Object.keys(changed).length === 0 ? undefined : changed;
}

/**
 * Returns the capacity without huge page sizes that this machine does not have (any more). Only the node may remove
 * them.
 */
export const withoutForeignHugePages = (capacity: Readonly<Record<string, string | number>>, own: object) =>
  Object.fromEntries(
    Object.entries(capacity).filter(([resource]) => !isHugePagesResource(resource) || hasOwn(own, resource)),
  );
