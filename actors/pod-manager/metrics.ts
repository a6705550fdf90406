import type { Gauge, MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { isStaticPod } from '../../src/kube/manifest/static-pod.ts';
import type { PodManagerEffect } from './effects.ts';
import { isFromApi } from './pod-facts.ts';
import type { PodManagerProtocol } from './protocol.ts';
import type { Worker } from './worker-record.ts';

/** Pod counts, read at scrape time. */
export interface CountedPods {
  readonly desired: ReadonlyMap<PodUid, Pod>;
  readonly workers: ReadonlyMap<PodUid, Worker>;
  readonly objects: { readonly mirrors: number; isOver(uid: PodUid): boolean };
  /** How many resizes are pending, by reason. */
  readonly pendingResizes: ReadonlyMap<string, number>;
}

/** The pod manager's counters, under the kubelet's names. They outlive an incarnation. */
export interface PodManagerMetrics {
  /** From now on pods are counted in this incarnation. */
  of(pods: CountedPods): void;
  decided(command: PodManagerProtocol['command'], effects: readonly PodManagerEffect[], pods: CountedPods): void;
}

const trueOrEmpty = (holds: boolean): string => (holds ? 'true' : '');

export function podManagerMetrics(families: MetricFamilies): PodManagerMetrics {
  const gauge = (name: string, help: string, labels?: readonly string[]) =>
    families.gauge({ name: `kubelet_${name}`, help, ...(labels !== undefined && { labels }) });
  const counter = (name: string, help: string, labels?: readonly string[]) =>
    families.counter({ name: `kubelet_${name}`, help, ...(labels !== undefined && { labels }) });
  const gauges: Readonly<Record<keyof ReturnType<typeof counts>, Gauge>> = {
    desired: gauge('desired_pods', 'Pods wanted on this node.', ['static']),
    active: gauge('active_pods', 'Pods that admission counts on this node.', ['static']),
    mirrors: gauge('mirror_pods', 'Mirror pods in the API.'),
    working: gauge('working_pods', 'Pods that have a worker.', ['lifecycle', 'config', 'static']),
    ephemeral: gauge('managed_ephemeral_containers', 'Ephemeral containers in the pods of this node.'),
    resizing: gauge('pod_in_progress_resizes', 'Pods whose resize is in progress.'),
    pendingResizes: gauge('pod_pending_resizes', 'Pods whose resize is pending, by reason.', ['reason']),
  };
  const orphans = counter('orphaned_runtime_pods_total', 'Pods found in the runtime that no source wanted.');
  const restarted = counter('restarted_pods_total', 'Pods wanted again while they were being removed.', ['static']);
  const rejections = counter('admission_rejections_total', 'Pods that admission rejected.', ['reason']);
  const accepted = counter('pod_deferred_accepted_resizes_total', 'Deferred resizes that were accepted later.', [
    'retry_trigger',
  ]);
  const asked = counter('container_requested_resizes_total', 'Requested changes of container resources.', [
    'resource',
    'requirement',
    'operation',
  ]);
  const infeasible = counter('pod_infeasible_resizes_total', 'Resizes that this node can never grant.', [
    'reason_detail',
  ]);
  const preemptions = counter('preemptions', 'Pods preempted for a critical pod.', ['preemption_signal']);
  const containers = families.histogram({
    name: 'kubelet_containers_per_pod_count',
    help: 'Containers per pod.',
    buckets: [1, 2, 4, 8, 16],
  });
  return {
    of(pods) {
      // The table is a constant of this file: its keys are those of its type.
      for (const [name, each] of Object.entries(gauges) as [keyof typeof gauges, Gauge][])
        each.readBy(() => counts(pods)[name]);
    },
    decided(command, effects, { workers }) {
      for (const effect of effects) {
        if (effect.type === 'tell-rejection') rejections.add([effect.rejection.reason]);
        if (effect.type === 'keep-allocation' && effect.wasDeferred === true) accepted.add([triggerOf(command)]);
        if (effect.type === 'resize-asked') {
          for (const { resource, requirement, operation } of effect.asked)
            asked.add([resource, requirement, operation]);
          if (effect.infeasible !== undefined) infeasible.add([effect.infeasible]);
        }
        if (effect.type === 'keep-victims' && effect.lacking !== undefined)
          preemptions.add([effect.lacking], effect.victims.length);
        if (effect.type !== 'start-worker') continue;
        const pod = workers.get(effect.uid)?.pod;
        if (command.type === 'pod-terminated' && command.podUid === effect.uid && pod !== undefined)
          restarted.add([trueOrEmpty(!isFromApi(pod))]);
        if (pod === undefined && !AGAIN.has(command.type)) orphans.add();
        if (pod !== undefined && effect.history === 'fresh') containers.observe(pod.spec.containers.length);
      }
    },
  };
}

/** Commands that restart workers which existed before. */
const AGAIN: ReadonlySet<PodManagerProtocol['command']['type']> = new Set(['thread-started']);

function triggerOf(command: PodManagerProtocol['command']): string {
  if (command.type === 'resend-due') return 'periodic_retry';
  if (command.type === 'pod-terminated') return 'pods_removed';
  return command.type === 'source-changed' && command.gone.length > 0 ? 'pods_removed' : 'pod_updated';
}

type Counted = readonly (readonly [labels: readonly string[], value: number])[];

/** The count of a family without labels. */
const one = (count: number): Counted => [[[], count]];

function counts({ desired, workers, objects, pendingResizes }: CountedPods) {
  const wanted = emptyCounts();
  const active = emptyCounts();
  const working = emptyCounts();
  let [ephemeral, resizing] = [0, 0];
  for (const [uid, pod] of desired) {
    const label = [trueOrEmpty(isStaticPod(pod))];
    wanted.add(label);
    const stage = workers.get(uid)?.stage;
    if (stage === 'wanted' || (stage === undefined && !objects.isOver(uid))) active.add(label);
    if (pod.status?.conditions?.some(({ type, status }) => type === 'PodResizeInProgress' && status === 'True'))
      resizing += 1;
    ephemeral += pod.spec.ephemeralContainers?.length ?? 0;
  }
  for (const [uid, { pod, stage }] of workers) {
    const config = desired.has(uid) ? 'desired' : pod === undefined ? 'runtime_only' : 'orphan';
    working.add([LIFECYCLES[stage], config, pod === undefined ? 'unknown' : trueOrEmpty(isStaticPod(pod))]);
  }
  return {
    desired: wanted.counted(),
    active: active.counted(),
    mirrors: one(objects.mirrors),
    working: working.counted(),
    ephemeral: one(ephemeral),
    resizing: one(resizing),
    pendingResizes: Array.from(pendingResizes, ([reason, count]) => [[reason.toLowerCase()], count] as const),
  };
}

const LIFECYCLES: Readonly<Record<Worker['stage'], string>> = {
  wanted: 'sync',
  going: 'terminating',
  ended: 'terminated',
};

function emptyCounts() {
  const found = new Map<string, { readonly labels: readonly string[]; count: number }>();
  return {
    add(labels: readonly string[]): void {
      const key = labels.join();
      const entry = found.get(key);
      if (entry === undefined) found.set(key, { labels, count: 1 });
      else entry.count += 1;
    },
    counted: (): Counted => Array.from(found.values(), ({ labels, count }) => [labels, count] as const),
  };
}
