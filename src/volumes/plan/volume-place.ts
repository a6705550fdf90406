import type { EmptyDirPlan, VolumePlan } from './volume-plan.ts';

/**
 * The directory of each plugin, `/` in its name written as `~`. The names are the kubelet's, so that either agent finds
 * what the other left.
 */
const DIRECTORIES = {
  'empty-dir': 'kubernetes.io~empty-dir',
  configmap: 'kubernetes.io~configmap',
  secret: 'kubernetes.io~secret',
  'downward-api': 'kubernetes.io~downward-api',
  projected: 'kubernetes.io~projected',
} as const;

/** This directory holds user data. */
const LOCAL_VOLUMES = 'kubernetes.io~local-volume';

/** The directories of this agent's own volumes, which are removed with their content. */
export const OWN_DIRECTORIES: ReadonlySet<string> = new Set(Object.values(DIRECTORIES));

/** Returns a volume's place below the pod's directory; `undefined` for a volume that lies elsewhere. */
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
 * Returns the kubelet's marker of a complete emptyDir. The kubelet also marks the emptyDir below a volume of files.
 * This agent does not: creating a directory is the most expensive step, and nothing reads that marker.
 */
export const readyMarker = ({ name }: EmptyDirPlan): readonly string[] => ['plugins', DIRECTORIES['empty-dir'], name];
