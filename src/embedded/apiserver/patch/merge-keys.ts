import { own } from '../../../kube/text/own.ts';

/**
 * How lists inside objects are merged. In Kubernetes this is part of the types (`patchMergeKey`,
 * `x-kubernetes-list-map-keys`). A path is member names joined by dots, with `[]` for the items of a list.
 */
export interface ListRule {
  /** The member that identifies items in a strategic merge patch. `undefined` for a set of plain values. */
  readonly mergeKey: string | undefined;
  /** The members that identify items in server-side apply: sometimes more than one. */
  readonly listKeys: readonly string[];
  /** A patched item keeps only the members that the patch names (a union, such as a volume's source). */
  readonly retainsKeys: boolean;
}

const keyed = (mergeKey: string, listKeys: readonly string[] = [mergeKey]): ListRule => ({
  mergeKey,
  listKeys,
  retainsKeys: false,
});
const set: ListRule = { mergeKey: undefined, listKeys: [], retainsKeys: false };
const byName = keyed('name');
const union: ListRule = { ...byName, retainsKeys: true };

const anyKind: Readonly<Record<string, ListRule>> = {
  'metadata.finalizers': set,
  'metadata.ownerReferences': keyed('uid'),
  'status.conditions': keyed('type'),
};

const container = (at: string): Readonly<Record<string, ListRule>> => ({
  [at]: byName,
  [`${at}[].ports`]: keyed('containerPort', ['containerPort', 'protocol']),
  [`${at}[].env`]: byName,
  [`${at}[].volumeMounts`]: keyed('mountPath'),
  [`${at}[].volumeDevices`]: keyed('devicePath'),
  [`${at}[].resources.claims`]: byName,
});

const byKind: Readonly<Record<string, Readonly<Record<string, ListRule>>>> = {
  Pod: {
    ...container('spec.containers'),
    ...container('spec.initContainers'),
    ...container('spec.ephemeralContainers'),
    'spec.volumes': union,
    'spec.imagePullSecrets': byName,
    'spec.hostAliases': keyed('ip'),
    'spec.topologySpreadConstraints': keyed('topologyKey', ['topologyKey', 'whenUnsatisfiable']),
    'spec.schedulingGates': byName,
    'spec.resourceClaims': union,
    'status.podIPs': keyed('ip'),
    'status.hostIPs': keyed('ip'),
    'status.resourceClaimStatuses': union,
  },
  Node: {
    'spec.podCIDRs': set,
    'status.addresses': keyed('type'),
  },
  Service: {
    'spec.ports': keyed('port', ['port', 'protocol']),
  },
  ServiceAccount: { secrets: byName },
  CSINode: { 'spec.drivers': byName },
};

/** Returns the rule for the list at a path of a kind. `undefined` when the list is replaced as a whole. */
export const listRule = (kind: string, path: string): ListRule | undefined =>
  own(own(byKind, kind), path) ?? own(anyKind, path);
