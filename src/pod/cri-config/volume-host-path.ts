import { entryName } from '../../kube/validation/entry-name.ts';
import { own } from '../../kube/text/own.ts';
import type { Pod, Volume } from '../../kube/pod.ts';
import { podDir } from '../values/pod-paths.ts';

/** The place of a pod's volume on the host, and whether containers may write to the volume. */
export interface VolumeOnHost {
  readonly hostPath: string;
  /** `true` if the volume is read-only for every mount, because the node writes its content. */
  readonly readOnly: boolean;
  /** `true` if the runtime relabels the content with the SELinux label of the container that mounts it. */
  readonly relabels?: boolean;
}

/** The directories of the volume plugins; a `/` in a plugin's name is written as `~`. */
const PLUGINS: Readonly<Record<string, { readonly directory: string; readonly readOnly: boolean }>> = {
  emptyDir: { directory: 'kubernetes.io~empty-dir', readOnly: false },
  configMap: { directory: 'kubernetes.io~configmap', readOnly: true },
  secret: { directory: 'kubernetes.io~secret', readOnly: true },
  downwardAPI: { directory: 'kubernetes.io~downward-api', readOnly: true },
  projected: { directory: 'kubernetes.io~projected', readOnly: true },
};

/**
 * Returns the place of a volume that follows from the pod alone. `undefined` for volumes that a driver must mount
 * first, and for images, which have no place on the host.
 */
export function volumeOnHost(pod: Pod, volume: Volume, rootDir: string): VolumeOnHost | undefined {
  // The type of `Volume` leaves sources open; the path is checked on the next line.
  const { hostPath } = volume as { readonly hostPath?: { readonly path?: unknown } };
  if (typeof hostPath?.path === 'string') return { hostPath: hostPath.path, readOnly: false };
  for (const source of Object.keys(volume)) {
    const plugin = own(PLUGINS, source);
    if (plugin === undefined) continue;
    const path = `${podDir(rootDir, pod.metadata.uid)}/volumes/${plugin.directory}/${entryName(volume.name)}`;
    return { hostPath: path, readOnly: plugin.readOnly, relabels: true };
  }
  return undefined;
}
