import type { Container } from '../../../src/kube/pod.ts';
import type { SubPathBind } from '../../../src/pod/cri-config/mounts.ts';
import type { Round } from './sync-attempt.ts';

/** Binds parts of volumes to the paths that the container's mounts expect. Returns the problem, if any. */
export async function bindSubPaths(
  { pod, tools }: Round,
  container: Container,
  parts: readonly SubPathBind[],
): Promise<string | undefined> {
  if (parts.length === 0) return undefined;
  const binds = parts.map(({ volume, index, subPath, volumeHostPath }) => ({
    volume,
    index,
    subPath,
    volumePath: volumeHostPath,
  }));
  const bound = await tools.volumes.bind({ podUid: pod.metadata.uid, container: container.name, binds });
  return bound.ok ? undefined : bound.message;
}
