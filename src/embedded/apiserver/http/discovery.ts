import { own } from '../../../kube/text/own.ts';
import { allKinds } from '../store/all-kinds.ts';
import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';
import { METRICS_GROUP, metricsResources } from '../nodes/metrics-api.ts';
import { reviewKinds } from '../subresources/reviews.ts';
import { subresourcesOf } from '../subresources/subresources.ts';

/** A resource as discovery shows it. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

/** Subresources with a kind other than their resource's. */
const subresourceKinds: Readonly<Record<string, Partial<DiscoveredResource>>> = {
  'pods/binding': { kind: 'Binding', verbs: ['create'] },
  'pods/eviction': { kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  'pods/log': { verbs: ['get'] },
  'pods/exec': { kind: 'PodExecOptions', verbs: ['create', 'get'] },
  'pods/attach': { kind: 'PodAttachOptions', verbs: ['create', 'get'] },
  'pods/portforward': { kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  'pods/proxy': { kind: 'PodProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
  'nodes/proxy': { kind: 'NodeProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
  'serviceaccounts/token': { kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  'namespaces/finalize': { verbs: ['update'] },
};

function resourcesOf(kind: ApiKind): readonly DiscoveredResource[] {
  const { resource, singular, namespaced, shortNames, categories } = kind;
  const main: DiscoveredResource = {
    name: resource,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: VERBS,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  const below = (name: string): DiscoveredResource => ({
    name,
    singularName: '',
    namespaced,
    kind: kind.kind,
    verbs: ['get', 'patch', 'update'],
    ...own(subresourceKinds, name),
  });
  return [
    main,
    ...subresourcesOf(resource).map((name) => below(`${resource}/${name}`)),
    ...(kind.hasStatus ? [below(`${resource}/status`)] : []),
  ];
}

const byVersion = Map.groupBy(allKinds, apiVersionOf);
const reviews = Map.groupBy(Object.entries(reviewKinds), ([path]) => path.slice(0, path.lastIndexOf('/')));

const METRICS_VERSION = `${METRICS_GROUP}/v1beta1`;

/** `v1`, and every served `<group>/<version>`. */
export const servedVersions: readonly string[] = [
  ...new Set([...byVersion.keys(), ...reviews.keys(), METRICS_VERSION]),
].sort();

function resourceList(groupVersion: string): object | undefined {
  if (groupVersion === METRICS_VERSION) {
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: metricsResources };
  }
  const kinds = byVersion.get(groupVersion) ?? [];
  const asked = reviews.get(groupVersion) ?? [];
  if (kinds.length === 0 && asked.length === 0) return undefined;
  const resources = [
    ...kinds.flatMap(resourcesOf),
    ...asked.map(([path, { kind, namespaced }]) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: ['create'],
    })),
    ...(groupVersion === 'v1'
      ? [{ name: 'bindings', singularName: 'binding', namespaced: true, kind: 'Binding', verbs: ['create'] }]
      : []),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function groupOf(name: string): object {
  const versions = servedVersions
    .filter((each) => each.startsWith(`${name}/`))
    .map((groupVersion) => ({ groupVersion, version: groupVersion.slice(name.length + 1) }));
  return { name, versions, preferredVersion: versions[0] };
}

const groups = [
  ...new Set(servedVersions.filter((each) => each.includes('/')).map((each) => each.split('/')[0] ?? '')),
];

/** Every group but core, and its versions. */
export const discoveredGroups: readonly { readonly name: string; readonly versions: readonly string[] }[] = groups.map(
  (name) => ({
    name,
    versions: servedVersions.filter((each) => each.startsWith(`${name}/`)).map((each) => each.slice(name.length + 1)),
  }),
);

/** The paths that `/` lists. */
export const servedPaths: readonly string[] = [
  '/api',
  '/api/v1',
  '/apis',
  ...groups.map((group) => `/apis/${group}`),
  ...servedVersions.filter((each) => each.includes('/')).map((each) => `/apis/${each}`),
  '/healthz',
  '/livez',
  '/openapi/v2',
  '/readyz',
  '/version',
].sort();

/** Answers discovery paths. `undefined` for any other path. */
export function discover(path: string): object | undefined {
  const [root, group, version, ...more] = path.split('/').filter((step) => step !== '');
  if (more.length > 0) return undefined;
  if (root === 'api') {
    if (group === undefined) return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    return version === undefined ? resourceList(group) : undefined;
  }
  if (root !== 'apis') return undefined;
  if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
  if (version !== undefined) return resourceList(`${group}/${version}`);
  return groups.includes(group) ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) } : undefined;
}
