import { describe, expect, it } from 'vitest';
import { pod } from '../../pod/pods.ts';
import { WorkerModel } from './worker-model.ts';

const ENDING = { reason: 'Terminated', message: 'the node goes down', disruption: 'yes' } as const;
const evict = { type: 'evict-pod', gracePeriodSeconds: 5, ending: ENDING } as const;

function running(one = pod({ terminationGracePeriodSeconds: 30 })): WorkerModel {
  const worker = new WorkerModel();
  worker.send({ type: 'sync-pod', pod: one });
  worker.settle();
  return worker;
}

describe('an evicted pod', () => {
  it('is stopped within the given grace period, and stays visible as failed, with the reason', () => {
    const worker = running();
    worker.send(evict);
    expect(worker.stops).toEqual([5]);
    expect(worker.phase).toBe('Running');
    worker.settle();
    expect(worker.reported).toEqual(['ended']);
    const status = worker.published.at(-1);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: 'the node goes down' });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    );
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False' });
  });

  it('has failed although its containers exited with 0', () => {
    const worker = running(pod({ restartPolicy: 'Never' }));
    worker.send(evict);
    worker.exit('main', 0);
    worker.settle();
    expect(worker.phase).toBe('Failed');
  });

  it('is not marked as disrupted if the reason is no disruption', () => {
    const worker = running();
    worker.send({ ...evict, ending: { ...ENDING, disruption: 'no' } });
    worker.settle();
    expect(worker.published.at(-1)?.conditions?.map(({ type }) => type)).not.toContain('DisruptionTarget');
  });

  it('is never started again, and keeps its reason when it is removed', () => {
    const worker = running();
    worker.send(evict);
    worker.settle();
    worker.send({ type: 'sync-pod', pod: pod({}) });
    worker.settle();
    expect(worker.containers.every(({ state }) => state !== 'running')).toBe(true);
    worker.send({ type: 'terminate-pod' });
    worker.settle();
    expect(worker.reported.at(-1)).toBe('removed');
    expect(worker.published.at(-1)).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
  });

  it('ends sooner if it was terminating already, and is then removed', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.send(evict);
    expect(worker.stops).toEqual([30, 5]);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('reports its end again after another eviction request', () => {
    const worker = running();
    worker.send(evict);
    worker.settle();
    worker.send(evict);
    expect(worker.reported).toEqual(['ended', 'ended']);
  });
});
