import type { PolicyRule } from './judge-access.ts';

const READ = ['get', 'list', 'watch'];
const on = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  verbs,
  apiGroups: [group],
  resources,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const REVIEWS = 'authorization.k8s.io';
const STORAGE = 'storage.k8s.io';

/** What nodes need. It is of all nodes and all namespaces: no graph says here which secrets are of a node's own pods. */
const ofNodes: readonly PolicyRule[] = [
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

/** Roles of the cluster that are there from the start, and the groups that have them. */
export const defaultRoles: readonly {
  readonly name: string;
  readonly groups: readonly string[];
  readonly rules: readonly PolicyRule[];
}[] = [
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
  { name: 'system:node', groups: ['system:nodes'], rules: ofNodes },
  { name: 'system:auth-delegator', groups: [], rules: ofNodes.slice(0, 2) },
  {
    name: 'system:kubelet-api-admin',
    groups: [],
    rules: [on('', ['nodes'], [...READ, 'proxy']), on('', ['nodes/*', 'nodes/proxy'], ['*'])],
  },
];
