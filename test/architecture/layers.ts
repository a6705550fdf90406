/**
 * The layers of the sources, from the bottom up. A folder is a layer; its files import from their own layer and from those
 * before it. A longer name is a layer of its own: `src/pod/values` is not part of `src/pod`.
 */
export const layers: readonly string[] = [
  'src/package-root.ts',
  'src/metrics',
  'src/kube',
  'src/actor',
  'src/health',
  'src/host',
  'src/config',
  'src/pod/values',
  'src/pod/source',
  'src/cri',
  'src/api',
  'src/node',
  'src/cgroups',
  'src/pod/cri-config',
  'src/stats',
  'src/faults',
  'src/volumes',
  'src/pod/sync',
  'src/probing',
  'src/serving',
  'src/csi',
  'src/jobs',
  'src/pod/image',
  'src/pod/status',
  'src/embedded',
  'src/images',
  'src/agent',
  'actors',
  'src/cli',
  'src/thread.ts',
  'src/main.ts',
];

/** The modules that the actor runtime may import: it knows nothing of Kubernetes, and could be published alone. */
export const underActorRuntime: readonly string[] = ['src/actor', 'src/metrics'];
