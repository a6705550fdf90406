import type { WallMs } from '../../../src/actor/clock.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../../src/kube/manifest/static-pod.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../../src/kube/pod.ts';
import type { ContainerType, PodWorkerMetrics } from '../metrics.ts';

const lists = [
  ['containerStatuses', 'container'],
  ['initContainerStatuses', 'init_container'],
  ['ephemeralContainerStatuses', 'ephemeral_container'],
] as const satisfies readonly (readonly [keyof PodStatus, ContainerType])[];

export interface CountedStatus {
  readonly pod: Pod;
  readonly before: PodStatus | undefined;
  readonly status: PodStatus;
  /** Instants and durations in milliseconds. */
  readonly now: WallMs;
  readonly handedOverAt: WallMs | undefined;
  readonly pullingMs: number;
}

/** Counts what a new status shows for the first time: ended containers, the start of the pod. */
export function countStatus(metrics: PodWorkerMetrics, counted: CountedStatus): void {
  const { before, status, now, handedOverAt } = counted;
  // A restarted worker finds the earlier status, which was counted already.
  if (before === undefined) return;
  for (const [list, type] of lists) countEnds(metrics, type, [before[list] ?? [], status[list] ?? []]);
  if (before.phase === 'Pending' && status.phase === 'Running' && handedOverAt !== undefined)
    metrics.running((now - handedOverAt) / 1000);
  if (allStarted(status) && !allStarted(before) && isFirst(status)) countStart(metrics, counted);
}

function countEnds(
  metrics: PodWorkerMetrics,
  type: ContainerType,
  [before, after]: readonly [readonly ContainerStatus[], readonly ContainerStatus[]],
): void {
  if (before === after) return;
  const known = new Map(before.map((each) => [each.name, each]));
  for (const { name, state, lastState } of after) {
    const end = state?.terminated ?? lastState?.terminated;
    const was = known.get(name);
    if (end === undefined || was === undefined) continue;
    const earlier = was.state?.terminated ?? was.lastState?.terminated;
    if (earlier?.containerID === end.containerID && earlier?.finishedAt === end.finishedAt) continue;
    metrics.containerEnded(type, { exitCode: end.exitCode, reason: end.reason ?? '' });
  }
}

const allStarted = ({ containerStatuses = [] }: PodStatus): boolean =>
  containerStatuses.length > 0 &&
  containerStatuses.every(({ state }) => state?.running !== undefined || state?.terminated !== undefined);

/** A restarted container is not a start of its pod. */
const isFirst = ({ containerStatuses = [] }: PodStatus): boolean =>
  containerStatuses.every(({ restartCount }) => restartCount === 0);

function countStart(metrics: PodWorkerMetrics, { pod, status, now, pullingMs }: CountedStatus): void {
  const { creationTimestamp, annotations } = pod.metadata;
  // Only for pods from the API is it known when they were requested.
  if (creationTimestamp === undefined || (annotations?.[CONFIG_SOURCE_ANNOTATION] ?? 'api') !== 'api') return;
  const total = Math.max(0, now - Date.parse(creationTimestamp)) / 1000;
  const own = total - (pullingMs + initialisingMs(pod, status)) / 1000;
  metrics.started({ total, own: waitsForStorage(pod) ? undefined : Math.max(0, own) });
}

function initialisingMs(pod: Pod, { initContainerStatuses = [] }: PodStatus): number {
  const sidecars = new Set(
    (pod.spec.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? [name] : [])),
  );
  return initContainerStatuses.reduce((sum, { name, state }) => {
    const { startedAt, finishedAt } = state?.terminated ?? {};
    if (sidecars.has(name) || typeof startedAt !== 'string' || typeof finishedAt !== 'string') return sum;
    return sum + Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  }, 0);
}

/** Time for attaching storage is not the node's. */
const waitsForStorage = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some((volume) => 'persistentVolumeClaim' in volume);
