import { describe, expect, it } from 'vitest';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { AdmittedPods } from '../../../src/node/admission/admitted-pods.ts';
import { choosePreempted, mayPreempt } from '../../../src/node/admission/preemption.ts';
import { container, pod, type PodParts } from '../../pod/pods.ts';

const SYSTEM = 2_000_000_000;
const asking = (uid: string, requests: Record<string, string>, parts: PodParts = {}): Pod =>
  pod({ containers: [container('main', { resources: { requests } })], ...parts, metadata: { uid, name: uid } });
const guaranteed = (uid: string, cpu: string): Pod => {
  const amounts = { cpu, memory: '1Mi' };
  return pod({
    containers: [container('main', { resources: { requests: amounts, limits: amounts } })],
    metadata: { uid, name: uid },
  });
};
const critical = (parts: PodParts = {}): Pod => asking('critical', {}, { priority: SYSTEM, ...parts });

function victims(short: Readonly<Record<string, number>>, ...pods: readonly Pod[]): readonly string[] | string {
  const admitted = new AdmittedPods();
  for (const each of pods) admitted.add(podUid(each.metadata.uid), each);
  const shortages = Object.entries(short).map(([resource, missing]) => ({ resource, missing: BigInt(missing) }));
  const found = choosePreempted(critical(), shortages, admitted.staying());
  return found.type === 'victims' ? [...found.uids].sort() : found.why;
}

describe('a critical pod preempts', () => {
  it.each<{ rule: string; short: Record<string, number>; pods: readonly Pod[]; end: readonly string[] }>([
    {
      rule: 'the pod that requests just the missing amount, and no larger one',
      short: { cpu: 500 },
      pods: [asking('large', { cpu: '2' }), asking('just', { cpu: '500m' }), asking('small', { cpu: '100m' })],
      end: ['just'],
    },
    {
      rule: 'of sufficient pods the pod with less memory',
      short: { cpu: 500 },
      pods: [asking('a', { cpu: '1', memory: '2Gi' }), asking('b', { cpu: '3', memory: '1Gi' })],
      end: ['b'],
    },
    {
      rule: 'of sufficient pods with equal memory the pod with less CPU',
      short: { cpu: 500 },
      pods: [asking('a', { cpu: '3', memory: '1Gi' }), asking('b', { cpu: '1', memory: '1Gi' })],
      end: ['b'],
    },
    {
      rule: 'several pods when none is sufficient alone, the nearest first',
      short: { cpu: 1_000 },
      pods: [asking('a', { cpu: '300m' }), asking('b', { cpu: '600m' }), asking('c', { cpu: '500m' })],
      end: ['b', 'c'],
    },
    {
      rule: 'best-effort pods first, when the number of pods is the limit',
      short: { pods: 1 },
      pods: [guaranteed('g', '1'), asking('burst', { cpu: '1' }), asking('best', {})],
      end: ['best'],
    },
    {
      rule: 'guaranteed pods only when all others together are not sufficient',
      short: { cpu: 1_500 },
      pods: [asking('burst', { cpu: '1' }), guaranteed('g1', '1'), guaranteed('g2', '500m')],
      end: ['burst', 'g2'],
    },
    {
      rule: 'no burstable pod when a necessary guaranteed victim frees enough',
      short: { cpu: 2_000 },
      pods: [asking('burst', { cpu: '500m' }), guaranteed('g', '2')],
      end: ['g'],
    },
    {
      rule: 'one pod that frees every missing resource, rather than one for each',
      short: { cpu: 1_000, memory: 1_000_000 },
      pods: [
        asking('cpu', { cpu: '1' }),
        asking('memory', { memory: '1M' }),
        asking('both', { cpu: '1', memory: '1M' }),
      ],
      end: ['both'],
    },
  ])('$rule', ({ short, pods, end }) => {
    expect(victims(short, ...pods)).toEqual(end);
  });

  it('none if all together are not sufficient, and reports the missing amounts', () => {
    expect(victims({ cpu: 1_500, memory: 10 }, asking('a', { cpu: '1', memory: '1Gi' }))).toBe(
      'preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 500), ]',
    );
  });

  it('the same victims for any order of pods', () => {
    const pods = [asking('a', { cpu: '300m' }), asking('b', { cpu: '600m' }), asking('c', { cpu: '500m' })];
    expect(victims({ cpu: 1_000 }, ...pods.toReversed())).toEqual(victims({ cpu: 1_000 }, ...pods));
  });
});

describe('a pod may preempt another', () => {
  const file = { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } };
  it.each<{ rule: string; one: PodParts; other: PodParts; may: boolean }>([
    { rule: 'if it is critical and the other is not', one: { priority: SYSTEM }, other: { priority: 5 }, may: true },
    { rule: 'if it is static and the other is not critical', one: file, other: {}, may: true },
    { rule: 'if its priority is higher', one: { priority: SYSTEM + 1 }, other: { priority: SYSTEM }, may: true },
    { rule: 'not if both are as critical', one: { priority: SYSTEM }, other: { priority: SYSTEM }, may: false },
    {
      rule: 'not if the other is static without a priority',
      one: { priority: SYSTEM },
      other: file,
      may: false,
    },
  ])('$rule', ({ one, other, may }) => {
    expect(mayPreempt(pod(one), pod(other))).toBe(may);
  });
});
