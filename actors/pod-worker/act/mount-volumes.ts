import type { Container, Pod } from '../../../src/kube/pod.ts';
import type { SubPathBind } from '../../../src/pod/cri-config/mounts.ts';
import { planVolumes } from '../../../src/volumes/plan/plan-volumes.ts';
import { failContainer } from './report-failure.ts';
import { CANCELLED, type Step, type Stop } from '../decide/step-result.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** By name, the paths of volumes whose path does not follow from the pod alone. */
export type VolumePaths = Readonly<Record<string, string>>;

export const NO_VOLUMES: Step<VolumePaths> = { ok: true, value: {} };

/** Waits for the pod's volumes. Failures of single volumes meanwhile arrive as `volume-failed`. */
export async function mountVolumes(attempt: SyncAttempt): Promise<Step<VolumePaths>> {
  const { pod, tools, cancelled } = attempt;
  const plan = planVolumes(pod, tools.node);
  if (plan === undefined) return NO_VOLUMES;
  const outcome = await Promise.race([tools.volumes.mount(plan), cancelled]);
  if (outcome === 'cancelled') return CANCELLED;
  if (!outcome.ok) return { ok: false, stop: { type: 'pod-failed', message: outcome.message } };
  return attempt.unlessCancelled({ ok: true, value: outcome.paths ?? {} });
}

/** Binds parts of volumes to the paths that the container's mounts expect. */
export async function bindSubPaths(
  { pod, tools }: SyncAttempt,
  container: Container,
  parts: readonly SubPathBind[],
): Promise<Step<undefined>> {
  if (parts.length === 0) return BOUND;
  const binds = parts.map(({ volume, index, subPath, volumeHostPath }) => ({
    volume,
    index,
    subPath,
    volumePath: volumeHostPath,
  }));
  const bound = await tools.volumes.bind({ podUid: pod.metadata.uid, container: container.name, binds });
  if (bound.ok) return BOUND;
  return failContainer(tools.reports, container.name, {
    reason: 'CreateContainerConfigError',
    message: bound.message,
  });
}

const BOUND: Step<undefined> = { ok: true, value: undefined };

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
