import { DEFAULT_BUCKETS, type MetricFamilies } from '../../src/metrics/metric-families.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { imageSizeLabel } from '../../src/pod/image/image-size-label.ts';

/** The kubelet's label for the kind of a sync. */
export type SyncType = 'create' | 'update' | 'sync' | 'kill';

export type ContainerType = 'container' | 'init_container' | 'ephemeral_container';

/** Counts of all workers of one thread, under the kubelet's names. They outlive incarnations and pods. */
export interface PodWorkerMetrics {
  /** Records the time until a worker received its pod. */
  began(secondsSinceHandedOver: number): void;
  /** Records the end of a sync of the pod. */
  worked(type: SyncType, seconds: number): void;
  sandbox(pod: Pod, handler: string, outcome: { readonly seconds: number; readonly made: boolean }): void;
  containerTried(type: ContainerType): void;
  /** `code`: the reason shown to users. */
  containerFailed(type: ContainerType, code: string): void;
  containerEnded(type: ContainerType, how: { readonly exitCode: number; readonly reason: string }): void;
  imageAsked(policy: string, image: { readonly present: boolean | undefined; readonly pulls: boolean }): void;
  pulled(seconds: number, sizeBytes: number): void;
  imageVolume(outcome: 'mounted' | 'failed'): void;
  /** Records a resize of running containers, successful or failed. */
  resized(milliseconds: number, outcome: 'done' | 'failed'): void;
  hookFellBackToHttp(): void;
  sleepCutShort(): void;
  /** Records that the pod's phase has become Running. */
  running(sinceHandedOverSeconds: number): void;
  /** Records that all containers of an API pod run. `own`: without the time for images and init containers. */
  started(seconds: { readonly total: number; readonly own: number | undefined }): void;
}

const START_BUCKETS: readonly number[] = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];
const PULL_BUCKETS: readonly number[] = [
  1, 5, 10, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

/** Milliseconds. */
const RESIZE_BUCKETS: readonly number[] = [
  10, 50, 100, 500, 1000, 2000, 5000, 10000, 20000, 30000, 60000, 120000, 300000, 600000,
];

export function podWorkerMetrics(families: MetricFamilies): PodWorkerMetrics {
  const counter = (name: string, help: string, labels?: readonly string[]) =>
    families.counter({ name: `kubelet_${name}`, help, ...(labels !== undefined && { labels }) });
  const histogram = (
    name: string,
    help: string,
    {
      labels,
      buckets = DEFAULT_BUCKETS,
    }: { readonly labels?: readonly string[]; readonly buckets?: readonly number[] },
  ) => families.histogram({ name: `kubelet_${name}`, help, buckets, ...(labels !== undefined && { labels }) });
  const handler = { labels: ['runtime_handler'] };
  const starts = { buckets: START_BUCKETS };
  const type = 'container_type';

  const workerStart = histogram(
    'pod_worker_start_duration_seconds',
    'Seconds from first observing a pod to starting its worker.',
    {},
  );
  const worker = histogram('pod_worker_duration_seconds', 'Duration in seconds of a pod sync, by type.', {
    labels: ['operation_type'],
  });
  const sandboxes = histogram(
    'run_podsandbox_duration_seconds',
    'Duration in seconds of creating a pod sandbox.',
    handler,
  );
  const sandboxErrors = counter('run_podsandbox_errors_total', 'Pod sandboxes that failed to start.', handler.labels);
  const pods = counter('started_pods_total', 'Pods that were started.');
  const podErrors = counter('started_pods_errors_total', 'Pods that failed to start.');
  const userPods = counter('started_user_namespaced_pods_total', 'Pods with a user namespace that were started.');
  const userPodErrors = counter(
    'started_user_namespaced_pods_errors_total',
    'Pods with a user namespace that failed to start.',
  );
  const containers = counter('started_containers_total', 'Containers whose start was tried.', [type]);
  const containerErrors = counter('started_containers_errors_total', 'Containers that failed to start.', [
    type,
    'code',
  ]);
  const ended = counter('terminated_containers_total', 'Containers that have ended.', [type, 'exit_code', 'reason']);
  const asked = counter('image_manager_ensure_image_requests_total', 'Checks for an image before a container start.', [
    'pull_policy',
    'present_locally',
    'pull_required',
  ]);
  const pulls = histogram('image_pull_duration_seconds', 'Duration in seconds of an image pull, by image size.', {
    labels: ['image_size_in_bytes'],
    buckets: PULL_BUCKETS,
  });
  const volumeQuestions = counter('image_volume_requested_total', 'Image volumes requested.');
  const volumesMounted = counter('image_volume_mounted_succeed_total', 'Image volumes mounted.');
  const volumesFailed = counter('image_volume_mounted_errors_total', 'Image volumes that failed to mount.');
  const resizes = histogram('pod_resize_duration_milliseconds', 'Duration in milliseconds of resizing a running pod.', {
    labels: ['success'],
    buckets: RESIZE_BUCKETS,
  });
  const fallbacks = counter(
    'lifecycle_handler_http_fallbacks_total',
    'HTTPS lifecycle hooks that succeeded over HTTP.',
  );
  const sleeps = counter('sleep_action_terminated_early_total', 'Sleep hooks that the grace period cut short.');
  const runs = histogram('pod_start_duration_seconds', 'Seconds from first observing a pod until it runs.', starts);
  const sli = histogram(
    'pod_start_sli_duration_seconds',
    "Seconds from a pod's creation to all its containers running, without images and init containers.",
    starts,
  );
  const total = histogram(
    'pod_start_total_duration_seconds',
    "Seconds from a pod's creation to all its containers running.",
    starts,
  );
  return {
    began: (seconds) => workerStart.observe(seconds),
    worked: (sync, seconds) => worker.observe(seconds, [sync]),
    sandbox(pod, by, { seconds, made }) {
      const ownUsers = pod.spec.hostUsers === false;
      pods.add();
      if (ownUsers) userPods.add();
      if (made) return sandboxes.observe(seconds, [by]);
      podErrors.add();
      if (ownUsers) userPodErrors.add();
      sandboxErrors.add([by]);
    },
    containerTried: (of) => containers.add([of]),
    containerFailed: (of, code) => containerErrors.add([of, code]),
    containerEnded: (of, { exitCode, reason }) => ended.add([of, String(exitCode), reason]),
    imageAsked: (policy, { present, pulls: pullRequired }) =>
      asked.add([policy.toLowerCase(), present === undefined ? 'unknown' : String(present), String(pullRequired)]),
    pulled: (seconds, sizeBytes) => pulls.observe(seconds, [imageSizeLabel(sizeBytes)]),
    imageVolume(outcome) {
      volumeQuestions.add();
      (outcome === 'mounted' ? volumesMounted : volumesFailed).add();
    },
    resized: (milliseconds, outcome) => resizes.observe(milliseconds, [String(outcome === 'done')]),
    hookFellBackToHttp: () => fallbacks.add(),
    sleepCutShort: () => sleeps.add(),
    running: (seconds) => runs.observe(seconds),
    started(seconds) {
      total.observe(seconds.total);
      if (seconds.own !== undefined) sli.observe(seconds.own);
    },
  };
}
