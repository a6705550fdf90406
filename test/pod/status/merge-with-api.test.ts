import { describe, expect, it } from 'vitest';
import type { PodCondition, PodStatus } from '../../../src/kube/pod.ts';
import { mergedWithApi } from '../../../src/pod/status/merge-with-api.ts';

const condition = (type: string, status: PodCondition['status'], at?: string): PodCondition => ({
  type,
  status,
  ...(at && { lastTransitionTime: at }),
});
const EARLY = '2030-01-01T00:00:00Z';
const LATE = '2030-01-01T01:00:00Z';

describe('the status to write to the API', () => {
  it.each<{ rule: string; api: PodStatus; own: PodStatus; is: Partial<PodStatus> }>([
    { rule: "has this agent's phase", api: { phase: 'Pending' }, own: { phase: 'Running' }, is: { phase: 'Running' } },
    {
      rule: 'keeps a terminal phase of the API, with its reason',
      api: { phase: 'Failed', reason: 'Evicted', message: 'full' },
      own: { phase: 'Running', reason: 'other' },
      is: { phase: 'Failed', reason: 'Evicted', message: 'full' },
    },
    {
      rule: 'keeps the first start time',
      api: { startTime: EARLY },
      own: { startTime: LATE },
      is: { startTime: EARLY },
    },
    {
      rule: 'never lowers a restart count',
      api: { containerStatuses: [{ name: 'a', ready: true, restartCount: 4, image: '', imageID: '' }] },
      own: { containerStatuses: [{ name: 'a', ready: false, restartCount: 1, image: '', imageID: '' }] },
      is: { containerStatuses: [{ name: 'a', ready: false, restartCount: 4, image: '', imageID: '' }] },
    },
    { rule: 'has a start time from the first status on', api: {}, own: { startTime: LATE }, is: { startTime: LATE } },
    {
      rule: "keeps the QoS class of the pod's creation",
      api: { qosClass: 'Guaranteed' },
      own: { qosClass: 'Burstable' },
      is: { qosClass: 'Guaranteed' },
    },
    {
      rule: 'never goes back to an older generation',
      api: { observedGeneration: 4 },
      own: { observedGeneration: 3 },
      is: { observedGeneration: 4 },
    },
    {
      rule: 'has the newer generation',
      api: { observedGeneration: 3 },
      own: { observedGeneration: 4 },
      is: { observedGeneration: 4 },
    },
    {
      rule: "keeps others' conditions, and has this agent's",
      api: { conditions: [condition('example.test/gate', 'True', EARLY), condition('Ready', 'False', EARLY)] },
      own: { conditions: [condition('example.test/gate', 'False', LATE), condition('Ready', 'True', LATE)] },
      is: { conditions: [condition('example.test/gate', 'True', EARLY), condition('Ready', 'True', LATE)] },
    },
    {
      rule: 'keeps the transition time of a condition that this agent has lost',
      api: { conditions: [condition('Ready', 'True', EARLY)] },
      own: { conditions: [condition('Ready', 'True', LATE)] },
      is: { conditions: [condition('Ready', 'True', EARLY)] },
    },
    {
      rule: "keeps the scheduler's condition of a rejected pod",
      api: { conditions: [condition('PodScheduled', 'True', EARLY)] },
      own: { phase: 'Failed', reason: 'OutOfcpu' },
      is: { phase: 'Failed', reason: 'OutOfcpu', conditions: [condition('PodScheduled', 'True', EARLY)] },
    },
    {
      rule: 'drops an outdated condition of this agent',
      api: { conditions: [condition('PodResizePending', 'True', EARLY)] },
      own: { conditions: [] },
      is: { conditions: [] },
    },
    {
      rule: 'has the latest DisruptionTarget',
      api: { conditions: [condition('DisruptionTarget', 'False', EARLY)] },
      own: { conditions: [condition('DisruptionTarget', 'True', LATE)] },
      is: { conditions: [condition('DisruptionTarget', 'True', LATE)] },
    },
    {
      rule: "keeps another client's DisruptionTarget when this agent has none",
      api: { conditions: [condition('DisruptionTarget', 'True', EARLY)] },
      own: { conditions: [] },
      is: { conditions: [condition('DisruptionTarget', 'True', EARLY)] },
    },
  ])('$rule', ({ api, own, is }) => {
    expect(mergedWithApi(api, own)).toMatchObject(is);
  });
});
