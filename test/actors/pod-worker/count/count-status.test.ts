import { describe, expect, it } from 'vitest';
import { countResult } from '../../../../actors/pod-worker/count/count-result.ts';
import { countStatus } from '../../../../actors/pod-worker/count/count-status.ts';
import { podWorkerMetrics } from '../../../../actors/pod-worker/metrics.ts';
import type { ContainerFailure } from '../../../../actors/pod-worker/protocol.ts';
import { MetricFamilies } from '../../../../src/metrics/metric-families.ts';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '../../../../src/kube/pod.ts';
import { imageSizeLabel } from '../../../../src/pod/image/image-size-label.ts';

const CREATED = Date.parse('2026-01-01T00:00:00Z');

const aPod = ({
  annotations,
  volumes,
}: { readonly annotations?: Pod['metadata']['annotations']; readonly volumes?: object[] } = {}): Pod =>
  ({
    metadata: { name: 'web', namespace: 'a', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', annotations },
    spec: {
      initContainers: [{ name: 'init' }, { name: 'sidecar', restartPolicy: 'Always' }],
      containers: [{ name: 'main' }],
      ephemeralContainers: [{ name: 'debug' }],
      ...(volumes !== undefined && { volumes }),
    },
  }) as unknown as Pod;

const container = (name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  state,
  ready: false,
  restartCount: 0,
  image: 'i',
  imageID: 'i',
  ...more,
});
const running: ContainerState = { running: { startedAt: '2026-01-01T00:00:09Z' } };
const ended = (exitCode: number, id = 'c1'): ContainerState => ({
  terminated: {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    containerID: id,
    startedAt: '2026-01-01T00:00:02Z',
    finishedAt: '2026-01-01T00:00:05Z',
  },
});
const waiting: ContainerState = { waiting: { reason: 'PodInitializing' } };
const pending: PodStatus = {
  phase: 'Pending',
  initContainerStatuses: [container('init', ended(0))],
  containerStatuses: [container('main', waiting)],
};
const up: PodStatus = { ...pending, phase: 'Running', containerStatuses: [container('main', running)] };

/** The samples that changed since the start, without the buckets of histograms. */
function counted(steps: readonly (PodStatus | undefined)[], pod = aPod()): readonly string[] {
  const families = new MetricFamilies();
  const metrics = podWorkerMetrics(families);
  for (const [index, status] of steps.entries()) {
    const before = steps[index - 1];
    if (index === 0 || status === undefined) continue;
    countStatus(metrics, {
      pod,
      before,
      status,
      now: CREATED + 10_000,
      handedOverAt: CREATED + 1_000,
      pullingMs: 2_000,
    });
  }
  return samples(families);
}

const samples = (families: MetricFamilies): readonly string[] =>
  families
    .text()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket') && !line.endsWith(' 0'))
    .map((line) => line.replace('kubelet_', ''));

describe('the start of a pod is counted', () => {
  it('once its containers run: in total, and without image pulls and init containers', () => {
    expect(counted([pending, up, up])).toEqual([
      'pod_start_duration_seconds_sum 9',
      'pod_start_duration_seconds_count 1',
      'pod_start_sli_duration_seconds_sum 5',
      'pod_start_sli_duration_seconds_count 1',
      'pod_start_total_duration_seconds_sum 10',
      'pod_start_total_duration_seconds_count 1',
    ]);
  });

  it('not by a restarted worker, which does not know the past', () => {
    expect(counted([undefined, up])).toEqual([]);
  });

  it('not when a container restarts', () => {
    const back: PodStatus = {
      phase: 'Running',
      containerStatuses: [container('main', running, { restartCount: 1 })],
    };
    expect(counted([{ ...back, containerStatuses: [container('main', waiting, { restartCount: 1 })] }, back])).toEqual(
      [],
    );
  });

  it('of a static pod only from its hand-over to the worker', () => {
    const pod = aPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
    expect(counted([pending, up], pod)).toEqual([
      'pod_start_duration_seconds_sum 9',
      'pod_start_duration_seconds_count 1',
    ]);
  });

  it('of a pod that waits for storage only in total', () => {
    const pod = aPod({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    expect(counted([pending, up], pod).filter((line) => line.includes('sli'))).toEqual([]);
  });
});

describe('the end of a container is counted', () => {
  const crashed = container('main', waiting, { lastState: ended(1), restartCount: 1 });

  it.each([
    {
      rule: 'with its reason',
      steps: [up, { ...up, containerStatuses: [container('main', ended(3))] }],
      line: 'terminated_containers_total{container_type="container",exit_code="3",reason="Error"} 1',
    },
    {
      rule: 'when only its next instance was observed',
      steps: [up, { ...up, containerStatuses: [crashed] }],
      line: 'terminated_containers_total{container_type="container",exit_code="1",reason="Error"} 1',
    },
    {
      rule: 'once, also when it is reported repeatedly',
      steps: [up, { ...up, containerStatuses: [container('main', ended(1))] }, { ...up, containerStatuses: [crashed] }],
      line: 'terminated_containers_total{container_type="container",exit_code="1",reason="Error"} 1',
    },
  ])('$rule', ({ steps, line }) => {
    expect(counted(steps).filter((each) => each.startsWith('terminated'))).toEqual([line]);
  });
});

describe('the container starts of a sync attempt are counted', () => {
  it('by container type and visible reason', () => {
    const families = new MetricFamilies();
    const failure = (reason: string): ContainerFailure => ({ reason, message: '', until: undefined });
    countResult(podWorkerMetrics(families), aPod(), {
      tried: new Set(['init', 'main', 'debug']),
      failures: new Map([
        ['main', failure('ErrImagePull')],
        // Not reached: no failure.
        ['debug', failure('ContainerCreating')],
        // A failure of an earlier attempt.
        ['sidecar', failure('RunContainerError')],
      ]),
    });
    expect(samples(families)).toEqual([
      'started_containers_total{container_type="init_container"} 1',
      'started_containers_total{container_type="container"} 1',
      'started_containers_total{container_type="ephemeral_container"} 1',
      'started_containers_errors_total{container_type="container",code="ErrImagePull"} 1',
    ]);
  });
});

describe('the size of an image', () => {
  const MiB = 2 ** 20;
  it.each([
    [0, 'N/A'],
    [1, '0-10MB'],
    [10 * MiB - 1, '0-10MB'],
    [10 * MiB, '10MB-100MB'],
    [1024 * MiB, '1GB-5GB'],
    [102_400 * MiB, 'GT100GB'],
  ])('of %d bytes is %s', (bytes, label) => {
    expect(imageSizeLabel(bytes)).toBe(label);
  });
});
