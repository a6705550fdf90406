import type { Container } from '../../../src/kube/pod.ts';
import type { SubPathBind } from '../../../src/pod/cri-config/mounts.ts';
import { planVolumes } from '../../../src/volumes/plan/plan-volumes.ts';
import { failContainer } from './report-failure.ts';
import { CANCELLED, type Step } from '../decide/step-result.ts';
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
