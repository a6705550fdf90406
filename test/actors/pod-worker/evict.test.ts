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

describe('a pod that its node ends', () => {
  it('is stopped within what it is given, and stays visible as failed, with the reason', () => {
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

  it('has failed although its containers took it well', () => {
    const worker = running(pod({ restartPolicy: 'Never' }));
    worker.send(evict);
    worker.exit('main', 0);
    worker.settle();
    expect(worker.phase).toBe('Failed');
  });

  it('may be nobody’s loss', () => {
    const worker = running();
    worker.send({ ...evict, ending: { ...ENDING, disruption: 'no' } });
    worker.settle();
    expect(worker.published.at(-1)?.conditions?.map(({ type }) => type)).not.toContain('DisruptionTarget');
  });

  it('is not started again, whatever is wanted of it, and keeps its reason when it goes', () => {
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

  it('goes sooner when it was going anyway, and is then gone', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.send(evict);
    expect(worker.stops).toEqual([30, 5]);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('says again that it has ended to who asks again', () => {
    const worker = running();
    worker.send(evict);
    worker.settle();
    worker.send(evict);
    expect(worker.reported).toEqual(['ended', 'ended']);
  });
});
