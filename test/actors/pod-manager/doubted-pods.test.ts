import { describe, expect, it } from 'vitest';
import { podsOnNode } from '../../../actors/pod-manager/pods-on-node.ts';
import { serverReads } from '../../../actors/pod-manager/server/server-reads.ts';
import type { ApiFault, ApiOutcome } from '../../../src/api/api-request.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { RuntimePodName } from '../../../actors/pleg/protocol.ts';
import { apiPod, ManagerInCluster } from './cluster-support.ts';
import { runtimePod } from './manager-support.ts';

const surveyed = (...runtimePods: readonly RuntimePodName[]) =>
  ({ type: 'node-surveyed', runtimePods, workers: [], workersBefore: [] }) as const;
const read = (uid: string, server: 'has-pod' | 'has-no-pod') =>
  ({ type: 'pod-read', podUid: podUid(uid), server }) as const;

/** A manager that finds the pod `x` in the runtime, and no source names it. */
function finding(): ManagerInCluster {
  const manager = new ManagerInCluster();
  manager.tell(surveyed(runtimePod('x')));
  manager.node();
  manager.source('file', []);
  expect(manager.source('api', [])).toEqual(['read x']);
  return manager;
}

describe('a pod in the runtime that no source names', () => {
  it('is removed once the server has said that it has no such pod', () => {
    const manager = finding();
    expect(manager.tell(read('x', 'has-no-pod'))).toEqual(['start x maybe-running', 'terminate-runtime x']);
  });

  it('runs on while the server has it, and is asked for again with each survey', () => {
    const manager = finding();
    expect(manager.tell(read('x', 'has-pod'))).toEqual([]);
    expect(manager.tell(surveyed(runtimePod('x')))).toEqual(['read x']);
    expect(manager.tell(read('x', 'has-no-pod'))).toEqual(['start x maybe-running', 'terminate-runtime x']);
  });

  it('is asked for once at a time', () => {
    const manager = finding();
    expect(manager.tell(surveyed(runtimePod('x')))).toEqual([]);
    expect(manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('x') })).toEqual([]);
  });

  it('is left alone once a source names it', () => {
    const manager = finding();
    expect(manager.source('api', [apiPod('x')])).toEqual(['start x maybe-running', 'sync x']);
    expect(manager.tell(read('x', 'has-no-pod'))).toEqual([]);
  });

  it('counts as living for those who clean up, until the server has answered', () => {
    const { state } = finding();
    expect(podsOnNode(state)).toEqual({ knowsAll: true, pods: [{ podUid: 'x', life: 'living' }] });
  });

  it('is removed at once when the whole node is emptied', () => {
    const manager = finding();
    expect(manager.tell({ type: 'drain' })).toEqual(['start x maybe-running', 'terminate-runtime x']);
  });
});

describe('a pod of the API that a new session of its source does not name', () => {
  const inNewSession = (manager: ManagerInCluster): readonly string[] =>
    manager.tell({
      type: 'source-changed',
      source: 'api',
      session: [2, 1],
      number: 1,
      set: [],
      gone: [],
      complete: true,
    });

  function running(): ManagerInCluster {
    const manager = new ManagerInCluster();
    manager.tell(surveyed());
    manager.node();
    manager.source('file', []);
    manager.source('api', [apiPod('a')]);
    return manager;
  }

  it('ends once the server has said that it has no such pod', () => {
    const manager = running();
    expect(inNewSession(manager)).toEqual(['read a']);
    expect(manager.tell(read('a', 'has-no-pod'))).toEqual(['api-pod-gone a', 'terminate a in 0 s']);
  });

  it('runs on while the server has it, and is asked for again with each survey', () => {
    const manager = running();
    inNewSession(manager);
    expect(manager.tell(read('a', 'has-pod'))).toEqual([]);
    expect(manager.tell({ ...surveyed(runtimePod('a')), workers: [podUid('a')] })).toEqual(['read a']);
    expect(manager.tell(read('a', 'has-no-pod'))).toEqual(['api-pod-gone a', 'terminate a in 0 s']);
  });

  it('ends at once when its source names it as gone', () => {
    expect(running().source('api', [], ['a'])).toEqual(['api-pod-gone a', 'terminate a in 0 s']);
  });
});

describe('a read of one object from the server', () => {
  const refused = (code: number, reason: string): ApiFault => ({ kind: 'refused', code, reason, message: reason });
  const reads = (outcome: ApiOutcome<unknown>) => serverReads(async () => outcome, 'n1');
  const x = { uid: podUid('x'), namespace: 'shop', name: 'web' };

  it.each<{ answer: string; outcome: ApiOutcome<unknown>; pod: string }>([
    { answer: 'the pod', outcome: { ok: true, value: { metadata: { name: 'web', uid: 'x' } } }, pod: 'has-pod' },
    {
      answer: 'a pod that is unreadable but for its UID',
      outcome: { ok: true, value: { metadata: { uid: 'x' }, spec: 'of tomorrow' } },
      pod: 'has-pod',
    },
    { answer: 'another pod of that name', outcome: { ok: true, value: { metadata: { uid: 'y' } } }, pod: 'has-no-pod' },
    { answer: 'nothing', outcome: { ok: false, fault: refused(404, 'NotFound') }, pod: 'has-no-pod' },
    {
      answer: 'that the pod is not for this node',
      outcome: { ok: false, fault: refused(403, 'Forbidden') },
      pod: 'has-no-pod',
    },
    { answer: 'too much to read', outcome: { ok: false, fault: { kind: 'unreadable', message: '' } }, pod: 'has-pod' },
    { answer: 'that it is busy', outcome: { ok: false, fault: refused(429, 'TooManyRequests') }, pod: 'unknown' },
    { answer: 'not at all', outcome: { ok: false, fault: { kind: 'not-sent', message: '' } }, pod: 'unknown' },
  ])('of a pod, answered with $answer: $pod', async ({ outcome, pod }) => {
    expect(await reads(outcome).pod(x)).toBe(pod);
  });

  it.each<{ answer: string; outcome: ApiOutcome<unknown>; node: unknown }>([
    {
      answer: 'the node',
      outcome: { ok: true, value: { metadata: { name: 'n1', labels: { disk: 'ssd' } } } },
      node: { metadata: { name: 'n1', labels: { disk: 'ssd' } } },
    },
    { answer: 'nothing', outcome: { ok: false, fault: refused(404, 'NotFound') }, node: undefined },
    { answer: 'not at all', outcome: { ok: false, fault: { kind: 'not-sent', message: '' } }, node: 'unknown' },
  ])('of the node, answered with $answer', async ({ outcome, node }) => {
    expect(await reads(outcome).node()).toEqual(node);
  });
});
