import { ACCESS_GROUP } from './access-group.ts';
import type { PolicyRule } from './judge-access.ts';

export interface DefaultRole {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors: readonly object[] };
}

const READ = ['get', 'list', 'watch'];
const on = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const REVIEWS = 'authorization.k8s.io';
const STORAGE = 'storage.k8s.io';

/** The rights of nodes. `node-access.ts` restricts them to objects. */
export const rulesOfNodes: readonly PolicyRule[] = [
  on('authentication.k8s.io', ['tokenreviews'], ['create']),
  on(REVIEWS, ['subjectaccessreviews', 'localsubjectaccessreviews'], ['create']),
  on('', ['services', 'endpoints', 'configmaps', 'secrets', 'serviceaccounts'], READ),
  on('', ['persistentvolumes', 'persistentvolumeclaims'], READ),
  on('', ['persistentvolumeclaims/status'], ['get', 'update', 'patch']),
  on('', ['nodes'], [...READ, 'create', 'update', 'patch', 'delete']),
  on('', ['nodes/status', 'pods/status'], ['update', 'patch']),
  on('', ['pods'], [...READ, 'create', 'delete']),
  on('', ['pods/eviction', 'serviceaccounts/token'], ['create']),
  on('', ['events'], ['create', 'update', 'patch']),
  on('events.k8s.io', ['events'], ['create', 'update', 'patch']),
  on('certificates.k8s.io', ['certificatesigningrequests'], [...READ, 'create']),
  on('certificates.k8s.io', ['clustertrustbundles'], READ),
  on('certificates.k8s.io', ['podcertificaterequests'], [...READ, 'create']),
  on('coordination.k8s.io', ['leases'], ['get', 'create', 'update', 'patch', 'delete']),
  on('node.k8s.io', ['runtimeclasses'], READ),
  on(STORAGE, ['volumeattachments', 'csidrivers'], READ),
  on(STORAGE, ['csinodes'], ['get', 'create', 'update', 'patch', 'delete']),
];

const everybody = ['system:authenticated'];

const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const CORE_OBJECTS = ['configmaps', 'endpoints', 'persistentvolumeclaims', 'pods', 'serviceaccounts', 'services'];

const partOf = (role: string): Readonly<Record<string, string>> => ({
  [`${ACCESS_GROUP}/aggregate-to-${role}`]: 'true',
});
const togetherOf = (role: string): NonNullable<DefaultRole['aggregationRule']> => ({
  clusterRoleSelectors: [{ matchLabels: partOf(role) }],
});

/**
 * For users with a namespace of their own: each role includes the previous ones. Labelled roles may extend them.
 */
const ofPeople: readonly DefaultRole[] = [
  {
    name: 'system:aggregate-to-view',
    labels: partOf('view'),
    rules: [
      on('', [...CORE_OBJECTS, 'bindings', 'events', 'limitranges', 'namespaces', 'resourcequotas'], READ),
      on('', ['pods/log', 'pods/status', 'persistentvolumeclaims/status'], READ),
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    labels: partOf('edit'),
    rules: [
      on('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets'], READ),
      on('', ['serviceaccounts'], ['impersonate']),
      on('', [...CORE_OBJECTS, 'secrets', 'events'], WRITE),
      on('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'pods/eviction'], WRITE),
      on('', ['serviceaccounts/token'], ['create']),
    ],
  },
  {
    name: 'system:aggregate-to-admin',
    labels: partOf('admin'),
    rules: [
      on(REVIEWS, ['localsubjectaccessreviews'], ['create']),
      on(ACCESS_GROUP, ['roles', 'rolebindings'], [...READ, ...WRITE]),
    ],
  },
  { name: 'view', labels: partOf('edit'), rules: [], aggregationRule: togetherOf('view') },
  { name: 'edit', labels: partOf('admin'), rules: [], aggregationRule: togetherOf('edit') },
  { name: 'admin', rules: [], aggregationRule: togetherOf('admin') },
];

/** The ClusterRoles that exist from the start, and the groups bound to them. */
export const defaultRoles: readonly DefaultRole[] = [
  {
    name: 'cluster-admin',
    groups: ['system:masters'],
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
  },
  {
    name: 'system:discovery',
    groups: everybody,
    rules: [paths('/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', '/version', '/version/')],
  },
  {
    name: 'system:basic-user',
    groups: everybody,
    rules: [
      on(REVIEWS, ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      on('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
    ],
  },
  {
    name: 'system:public-info-viewer',
    groups: [...everybody, 'system:unauthenticated'],
    rules: [paths('/healthz', '/healthz/*', '/livez', '/livez/*', '/readyz', '/readyz/*', '/version', '/version/')],
  },
  // Bound to no subject: a role cannot tell one node's pods from those of another.
  { name: 'system:node', rules: rulesOfNodes },
  { name: 'system:auth-delegator', rules: rulesOfNodes.slice(0, 2) },
  {
    name: 'system:kubelet-api-admin',
    rules: [on('', ['nodes'], [...READ, 'proxy']), on('', ['nodes/*', 'nodes/proxy'], ['*'])],
  },
  ...ofPeople,
];
