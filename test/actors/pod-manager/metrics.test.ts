import { describe, expect, it } from 'vitest';
import { podManagerMetrics, type CountedPods } from '../../../actors/pod-manager/metrics.ts';
import type { Worker } from '../../../actors/pod-manager/worker-record.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';

const aPod = (uid: string, source: 'api' | 'file' = 'api'): Pod =>
  ({
    metadata: { name: uid, namespace: 'a', uid, annotations: { 'kubernetes.io/config.source': source } },
    spec: { containers: [{ name: 'one' }, { name: 'two' }], ephemeralContainers: [{ name: 'debug' }] },
  }) as unknown as Pod;
const worker = (stage: Worker['stage'], pod?: Pod): Worker => ({ fullName: '', pod, stage });

const pods: CountedPods = {
  desired: new Map<PodUid, Pod>([
    [podUid('up'), aPod('up')],
    [podUid('static'), aPod('static', 'file')],
    [podUid('over'), aPod('over')],
  ]),
  workers: new Map<PodUid, Worker>([
    [podUid('up'), worker('wanted', aPod('up'))],
    [podUid('static'), worker('ended', aPod('static', 'file'))],
    [podUid('leaving'), worker('going', aPod('leaving'))],
    [podUid('stray'), worker('going')],
  ]),
  objects: { mirrors: 1, isOver: (uid) => uid === 'over' },
  pendingResizes: new Map([['Deferred', 2]]),
};

function counting() {
  const families = new MetricFamilies();
  const metrics = podManagerMetrics(families);
  const said = (): readonly string[] =>
    families
      .text()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket') && !line.endsWith(' 0'))
      .map((line) => line.replace('kubelet_', ''));
  return { metrics, said };
}

describe('the pods of a node', () => {
  it('are counted at each scrape', () => {
    const { metrics, said } = counting();
    metrics.of(pods);
    expect(said()).toEqual([
      'desired_pods{static=""} 2',
      'desired_pods{static="true"} 1',
      'active_pods{static=""} 1',
      'mirror_pods 1',
      'working_pods{lifecycle="sync",config="desired",static=""} 1',
      'working_pods{lifecycle="terminated",config="desired",static="true"} 1',
      'working_pods{lifecycle="terminating",config="orphan",static=""} 1',
      'working_pods{lifecycle="terminating",config="runtime_only",static="unknown"} 1',
      'managed_ephemeral_containers 3',
      'pod_pending_resizes{reason="deferred"} 2',
    ]);
  });

  it('are counted as they arrive: admitted, rejected, wanted again, and orphaned', () => {
    const { metrics, said } = counting();
    const start = (uid: string, history: 'fresh' | 'maybe-running') =>
      ({ type: 'start-worker', uid: podUid(uid), history }) as const;
    metrics.decided({ type: 'survey' }, [start('up', 'fresh'), start('stray', 'maybe-running')], pods);
    metrics.decided({ type: 'thread-started', thread: 'pods-0' }, [start('stray', 'maybe-running')], pods);
    metrics.decided(
      { type: 'pod-terminated', podUid: podUid('static'), removed: true },
      [start('static', 'maybe-running')],
      pods,
    );
    const rejection = { reason: 'OutOfcpu', message: '' };
    metrics.decided(
      { type: 'survey' },
      [{ type: 'tell-rejection', uid: podUid('x'), pod: aPod('x'), rejection }],
      pods,
    );
    expect(said()).toEqual([
      'orphaned_runtime_pods_total 1',
      'restarted_pods_total{static="true"} 1',
      'admission_rejections_total{reason="OutOfcpu"} 1',
      'containers_per_pod_count_sum 2',
      'containers_per_pod_count_count 1',
    ]);
  });
});
