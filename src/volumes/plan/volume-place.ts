import type { EmptyDirPlan, VolumePlan } from './volume-plan.ts';

/** The directory of each plugin, `/` in its name written as `~`: the kubelet's, so that either finds what the other left. */
const DIRECTORIES = {
  'empty-dir': 'kubernetes.io~empty-dir',
  configmap: 'kubernetes.io~configmap',
  secret: 'kubernetes.io~secret',
  'downward-api': 'kubernetes.io~downward-api',
  projected: 'kubernetes.io~projected',
} as const;

/** What lies there is somebody's data. */
const LOCAL_VOLUMES = 'kubernetes.io~local-volume';

/** Those of our own making, which are taken away with their content. */
export const OWN_DIRECTORIES: ReadonlySet<string> = new Set(Object.values(DIRECTORIES));

/** Below the pod's directory: where the volume lies. Undefined for one that lies elsewhere. */
export function volumePlace(plan: VolumePlan): readonly [string, string, string] | undefined {
  switch (plan.type) {
    case 'empty-dir':
      return ['volumes', DIRECTORIES['empty-dir'], plan.name];
    case 'files':
      return ['volumes', DIRECTORIES[plan.plugin], plan.name];
    case 'local':
      return ['volumes', LOCAL_VOLUMES, plan.specName];
    case 'host-path':
    case 'claim':
    case 'csi':
    case 'refused':
      return undefined;
    default:
      return plan satisfies never;
  }
}

/**
 * Where the kubelet marks an emptyDir that is complete. It has such a mark for the one below a volume of files too; a directory
 * is what costs most in making one, and nobody would read it.
 */
export const readyMarker = ({ name }: EmptyDirPlan): readonly string[] => ['plugins', DIRECTORIES['empty-dir'], name];
