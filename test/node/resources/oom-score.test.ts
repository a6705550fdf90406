import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, QosClass } from '../../../src/kube/pod.ts';
import { oomScoreAdj } from '../../../src/node/resources/oom-score.ts';

const GIB = 1n << 30n;

const asking = (name: string, memory?: string): Container =>
  memory === undefined ? { name } : { name, resources: { requests: { memory } } };
const sidecar = (memory?: string): Container => ({ ...asking('side', memory), restartPolicy: 'Always' });

function scoreOf(container: Container, spec: Partial<PodSpec> = {}, qos: QosClass = 'Burstable'): bigint {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: { containers: [container], ...spec },
  };
  return oomScoreAdj({ pod, container, qos, memoryCapacityBytes: 10n * GIB });
}

describe('the OOM score of a container', () => {
  it.each([
    { rule: 'Guaranteed is protected', score: scoreOf(asking('c', '1Gi'), {}, 'Guaranteed'), is: -997n },
    { rule: 'BestEffort is killed first', score: scoreOf(asking('c'), {}, 'BestEffort'), is: 1000n },
    { rule: 'Burstable depends on its share of the memory', score: scoreOf(asking('c', '1Gi')), is: 900n },
    { rule: 'never as early as BestEffort', score: scoreOf(asking('c')), is: 999n },
    { rule: 'never as late as Guaranteed', score: scoreOf(asking('c', '10Gi')), is: 3n },
    {
      rule: "the pod's request beyond its containers is shared evenly",
      score: scoreOf(asking('c', '1Gi'), {
        containers: [asking('c', '1Gi'), asking('d')],
        resources: { requests: { memory: '3Gi' } },
      }),
      is: 800n,
    },
    {
      rule: 'a sidecar is as safe as the regular container with the smallest request',
      score: scoreOf(sidecar('1Gi'), { containers: [asking('c', '3Gi'), asking('d', '2Gi')] }),
      is: 800n,
    },
    {
      rule: 'a sidecar with a larger request keeps its own score',
      score: scoreOf(sidecar('4Gi'), { containers: [asking('c', '3Gi')] }),
      is: 600n,
    },
    {
      rule: 'critical pods are protected',
      score: scoreOf(asking('c'), { priority: 2_000_001_000, priorityClassName: 'system-node-critical' }),
      is: -997n,
    },
  ])('$rule ($is)', ({ score, is }) => {
    expect(score).toBe(is);
  });
});
