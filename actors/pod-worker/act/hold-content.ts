import type { Container, Pod } from '../../../src/kube/pod.ts';
import type { Stop } from '../decide/step-result.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** `true` if the container mounts, whole or in part, a volume whose content the node refreshes. */
export function mountsContent({ spec }: Pick<Pod, 'spec'>, { volumeMounts = [] }: Container): boolean {
  const refreshed = (spec.volumes ?? []).filter(
    ({ configMap, secret, downwardAPI, projected }) => (configMap ?? secret ?? downwardAPI ?? projected) !== undefined,
  );
  return volumeMounts.some((mount) => refreshed.some(({ name }) => name === mount.name));
}

/**
 * Keeps the content that a container mounts while the container starts: a refresh would remove files that the runtime is
 * about to bind or to execute. Without an answer the start goes on, as on a kubelet.
 */
export async function holdContent(attempt: SyncAttempt, container: Container): Promise<void> {
  if (!mountsContent(attempt.pod, container)) return;
  const { tools, pod, cancelled } = attempt;
  const held = tools.volumes.holdContent({ podUid: pod.metadata.uid, container: container.name });
  await Promise.race([held, cancelled]);
}

/**
 * Call after the start. The runtime may still be at a start that ended in doubt: then the content is held until the
 * container's next start, or until the hold ends by itself.
 */
export function releaseContent({ tools, pod }: SyncAttempt, container: Container, stop: Stop | undefined): void {
  if (stop?.type === 'in-doubt' || !mountsContent(pod, container)) return;
  tools.volumes.releaseContent({ podUid: pod.metadata.uid, container: container.name });
}
