import type { Container, VolumeMount } from '../../kube/pod.ts';

/** A volume mount as the container's status shows it (KEP-3857). */
export interface MountStatus {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  /** Only set for read-only mounts: whether the submounts are read-only too. */
  readonly recursiveReadOnly?: 'Disabled' | 'Enabled';
}

/** Returns the mounts for the status; `undefined` for a container without mounts. */
export function mountStatuses(container: Container, runtimeCan: boolean): readonly MountStatus[] | undefined {
  if (container.volumeMounts === undefined || container.volumeMounts.length === 0) return undefined;
  return container.volumeMounts.map((mount) => mountStatus(mount, runtimeCan));
}

function mountStatus({ name, mountPath, readOnly, recursiveReadOnly }: VolumeMount, runtimeCan: boolean): MountStatus {
  if (readOnly !== true) return { name, mountPath };
  const wanted = recursiveReadOnly === 'Enabled' || (recursiveReadOnly === 'IfPossible' && runtimeCan);
  return { name, mountPath, readOnly, recursiveReadOnly: wanted ? 'Enabled' : 'Disabled' };
}
