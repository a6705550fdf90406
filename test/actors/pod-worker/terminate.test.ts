import { describe, expect, it } from 'vitest';
import { sandboxId } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { container, pod } from '../../pod/pods.ts';
import { WorkerModel } from './worker-model.ts';

const graceful = pod({ terminationGracePeriodSeconds: 30 });

function running(one = graceful): WorkerModel {
  const worker = new WorkerModel();
  worker.send({ type: 'sync-pod', pod: one });
  worker.settle();
  return worker;
}

describe('a terminating pod', () => {
  it('is stopped, observed, removed, and then nothing of the pod is left', () => {
    const worker = running();
    const before = worker.did.length;
    worker.send({ type: 'terminate-pod' });
    expect(worker.waiting).toMatchObject([{ type: 'stop-pod', target: { graceSeconds: 30 } }]);
    worker.settle();
    const effects = worker.did.slice(before).filter((type) => type !== 'publish');
    expect(effects).toEqual(['stop-pod', 'observe', 'remove-pod', 'report-terminated']);
    expect(worker.reported).toEqual(['removed']);
    expect([worker.sandboxes, worker.containers]).toEqual([[], []]);
  });

  const stoppedOf = (worker: WorkerModel) => ({
    sandboxes: worker.sandboxes.map(({ id }) => id),
    containers: worker.containers.map((each) => [each.id, each.sandboxId] as const),
  });
  const sandboxStops = (worker: WorkerModel): void => {
    worker.sandboxes = worker.sandboxes.map((each) => ({ ...each, state: 'not-ready' }));
  };

  it.each<{ told: string; events: (worker: WorkerModel) => void; failed?: string; looks: boolean }>([
    {
      told: 'that all has ended',
      events(worker) {
        worker.exit('main', 0);
        worker.notice();
        sandboxStops(worker);
        worker.notice();
      },
      looks: false,
    },
    {
      told: 'of its containers, and its sandbox has been stopped',
      events(worker) {
        worker.exit('main', 0);
        worker.notice();
        sandboxStops(worker);
      },
      looks: false,
    },
    {
      told: 'of its containers, and another sandbox has come up',
      events(worker) {
        worker.exit('main', 0);
        const [one] = worker.sandboxes;
        if (one !== undefined) worker.sandboxes.push({ ...one, id: sandboxId('another'), attempt: 1 });
        worker.notice();
      },
      looks: true,
    },
    {
      told: 'that all has ended, of a stop that failed',
      events(worker) {
        worker.exit('main', 0);
        sandboxStops(worker);
        worker.notice();
      },
      failed: 'it said UNAVAILABLE',
      looks: true,
    },
    {
      told: 'of the sandbox alone',
      events(worker) {
        sandboxStops(worker);
        worker.notice();
        worker.exit('main', 0);
      },
      looks: true,
    },
    {
      told: 'that the container is not there',
      events(worker) {
        const { containers } = worker;
        worker.containers = [];
        sandboxStops(worker);
        worker.notice();
        worker.containers = containers;
        worker.exit('main', 0);
      },
      looks: true,
    },
    {
      told: 'nothing',
      events(worker) {
        worker.exit('main', 0);
        sandboxStops(worker);
      },
      looks: true,
    },
  ])('is observed once more, $looks, after events about $told', ({ events, failed, looks }) => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    const touched = stoppedOf(worker);
    events(worker);
    expect(worker.takeWaiting('stop-pod')).toBeDefined();
    worker.send({ type: 'stopped', touched, failed });
    expect(worker.isWaiting('observe')).toBe(looks);
    expect(worker.isWaiting('remove-pod')).toBe(!looks);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
    expect([worker.sandboxes, worker.containers]).toEqual([[], []]);
  });

  const annotations = { 'kubernetes.io/config.source': 'file' };
  const statically = { ...graceful, metadata: { ...graceful.metadata, annotations } };
  const withVolume = { ...statically, spec: { ...statically.spec, volumes: [{ name: 'data', emptyDir: {} }] } };

  it.each<{ which: string; pod: Pod; steps: readonly string[] }>([
    { which: 'static: its ended containers stay', pod: statically, steps: ['report-terminated'] },
    {
      which: 'static with volumes: its ended containers stay, its volumes do not',
      pod: withVolume,
      steps: ['remove-volumes', 'report-terminated'],
    },
    { which: 'from the API: nothing stays', pod: graceful, steps: ['remove-pod', 'report-terminated'] },
  ])('that is wanted again is removed as far as its kind asks for: $which', ({ pod: one, steps }) => {
    const worker = running(one);
    worker.send({ type: 'terminate-pod' });
    worker.send({ type: 'sync-pod', pod: one });
    worker.settle();
    expect(worker.did.filter((type) => /^(?:remove-(?!dead)|report-terminated)/.test(type))).toEqual(steps);
    expect(worker.containers.length > 0).toBe(one !== graceful);
  });

  it('that is wanted again is not handed over before its volumes are removed', () => {
    const worker = running(withVolume);
    worker.send({ type: 'terminate-pod' });
    worker.send({ type: 'sync-pod', pod: withVolume });
    worker.finishStopping();
    worker.requestStatus();
    worker.finishRemoving('umount: target is busy');
    worker.notice();
    expect(worker.reported).toEqual([]);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it.each([
    { rule: 'has the rest of its grace period under the next worker', passed: 21_500, grace: 9 },
    { rule: 'has at least one second', passed: 90_000, grace: 1 },
    { rule: 'never has more than its grace period, even if the clock was set', passed: -90_000, grace: 30 },
  ])('$rule', ({ passed, grace }) => {
    const worker = running();
    worker.restart();
    const deletionTimestamp = new Date(worker.now + 30_000 - passed).toISOString();
    const metadata = { ...graceful.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 };
    worker.send({ type: 'sync-pod', pod: { ...graceful, metadata } });
    worker.readPreviousStatus();
    worker.requestStatus();
    expect(worker.waiting).toMatchObject([{ type: 'stop-pod', target: { graceSeconds: grace } }]);
  });

  it('is not reported as ended before everything has stopped', () => {
    const worker = running(pod({ restartPolicy: 'Never' }));
    worker.send({ type: 'terminate-pod' });
    worker.exit('main', 0);
    worker.notice();
    expect(worker.phase).toBe('Running');
    worker.settle();
    expect(worker.phase).toBe('Succeeded');
  });

  it('is stopped when the current sync attempt has ended, and the attempt starts nothing more', () => {
    const worker = new WorkerModel();
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.requestStatus();
    worker.send({ type: 'terminate-pod' });
    expect(worker.did.at(-1)).toBe('cancel-acting');
    expect(worker.waiting.map(({ type }) => type)).toEqual(['act']);
    worker.finishActing();
    expect(worker.isWaiting('stop-pod')).toBe(false);
    worker.requestStatus();
    expect(worker.isWaiting('stop-pod')).toBe(true);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('is observed first if it was not observed before', () => {
    const worker = new WorkerModel({ history: 'maybe-running' });
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.send({ type: 'terminate-pod' });
    expect(worker.waiting.map(({ type }) => type)).toEqual(['read-previous-status']);
    worker.settle();
    expect(worker.did).not.toContain('act');
    expect(worker.reported).toEqual(['removed']);
  });

  it.each([
    { rule: 'its own', asked: [undefined], graces: [30] },
    { rule: 'the requested grace period', asked: [5], graces: [5] },
    { rule: 'not more than was requested before', asked: [5, 20], graces: [5] },
    { rule: 'at least a second', asked: [0], graces: [1] },
    { rule: 'less when requested again, and at once', asked: [undefined, 10, 3], graces: [30, 10, 3] },
  ])('has a grace period: $rule', ({ asked, graces }) => {
    const worker = running();
    for (const seconds of asked) {
      worker.send({ type: 'terminate-pod', ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }) });
    }
    expect(worker.stops).toEqual(graces);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('is stopped again a second after a failed stop, with the current grace period', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.finishStopping('the runtime is on fire');
    expect(worker.waiting).toMatchObject([{ type: 'observe', afterMs: 1_000 }]);
    worker.send({ type: 'terminate-pod', gracePeriodSeconds: 4 });
    worker.settle();
    expect(worker.stops).toEqual([30, 4]);
    expect(worker.reported).toEqual(['removed']);
  });

  it('is removed again a second after a failed removal', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.finishStopping();
    worker.requestStatus();
    worker.finishRemoving('busy');
    expect(worker.reported).toEqual([]);
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('has a dead sandbox stopped too, once', () => {
    const worker = running(pod({ restartPolicy: 'Never' }));
    worker.sandboxes = worker.sandboxes.map((each) => ({ ...each, state: 'not-ready' as const }));
    worker.exit('main', 1);
    worker.notice();
    expect(worker.stops).toHaveLength(1);
    worker.settle();
    worker.send({ type: 'terminate-pod' });
    worker.settle();
    expect(worker.stops).toHaveLength(1);
    expect(worker.reported).toEqual(['ended', 'removed']);
  });

  it('is not revived by a new spec', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.send({ type: 'sync-pod', pod: pod({ containers: [container('main', { image: 'other:2' })] }) });
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
    expect(worker.started).toEqual(['main-0']);
  });
});

describe('the removal of dead containers', () => {
  /** A pod that has ended while one of its replaced containers was still being removed. */
  function endedWhileRemoving(): WorkerModel {
    const worker = running(pod({ restartPolicy: 'OnFailure' }));
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    worker.exit('main', 1);
    worker.notice();
    worker.requestStatus();
    expect(worker.isWaiting('remove-dead')).toBe(true);
    worker.advance(10_000);
    worker.finishActing();
    worker.requestStatus();
    worker.exit('main', 0);
    worker.notice();
    worker.finishStopping();
    worker.requestStatus();
    expect(worker.phase).toBe('Succeeded');
    return worker;
  }

  it('is not mistaken for the removal of the pod', () => {
    const worker = endedWhileRemoving();
    worker.finishRemoving();
    expect(worker.reported).toEqual(['ended']);
  });

  it('comes before the removal of the pod', () => {
    const worker = endedWhileRemoving();
    worker.send({ type: 'terminate-pod' });
    expect(worker.isWaiting('remove-pod')).toBe(false);
    worker.finishRemoving();
    expect(worker.isWaiting('remove-pod')).toBe(true);
    worker.settle();
    expect(worker.reported).toEqual(['ended', 'removed']);
  });
});

describe('a pod that only the runtime knows', () => {
  const onlyThere = (): WorkerModel => {
    const left = running();
    const worker = new WorkerModel({ history: 'maybe-running' });
    Object.assign(worker, { sandboxes: left.sandboxes, containers: left.containers });
    return worker;
  };

  it('is stopped within 2 s and removed, without a status', () => {
    const worker = onlyThere();
    worker.send({ type: 'terminate-runtime-pod', name: 'web', namespace: 'shop' });
    worker.settle();
    expect(worker.stops).toEqual([2]);
    expect(worker.reported).toEqual(['removed']);
    expect(worker.published).toEqual([]);
  });

  it('is not affected by a repeated instruction', () => {
    const worker = onlyThere();
    worker.send({ type: 'terminate-runtime-pod', name: 'web', namespace: 'shop' });
    worker.takeWaiting('read-previous-status');
    worker.requestStatus();
    worker.finishStopping();
    worker.requestStatus();
    expect(worker.state.phase.type).toBe('terminated');
    worker.send({ type: 'terminate-runtime-pod', name: 'web', namespace: 'shop' });
    expect(worker.state.phase.type).toBe('terminated');
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('terminates with its spec if its worker knows it', () => {
    const worker = running();
    worker.send({ type: 'terminate-runtime-pod', name: 'web', namespace: 'shop' });
    worker.settle();
    expect(worker.stops).toEqual([30]);
    expect(worker.reported).toEqual(['removed']);
  });

  it('without containers or sandboxes is removed at once', () => {
    const worker = new WorkerModel({ history: 'maybe-running' });
    worker.send({ type: 'terminate-runtime-pod', name: '', namespace: '' });
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });
});

describe('a restarted worker', () => {
  it('does nothing before a status newer than its start', () => {
    const worker = running();
    const stale = worker.seen();
    worker.containers = [...worker.containers];
    worker.restart();
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.readPreviousStatus();
    worker.send({ type: 'pod-status-observed', ...stale, status: { ...stale.status, containers: [] } });
    expect(worker.isWaiting('act')).toBe(false);
    worker.settle();
    expect(worker.started).toEqual(['main-0']);
  });

  it('neither stops nor restarts containers, and reports nothing new', () => {
    const worker = running();
    const { published, did } = worker;
    const before = published.length;
    const since = did.length;
    worker.restart();
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.settle();
    expect(did.slice(since)).toEqual(['read-previous-status', 'observe', 'sync-at']);
    expect(published).toHaveLength(before);
  });

  it('never reports a pod as pending that may be running, even if the status manager has lost its status', () => {
    const left = running();
    const worker = new WorkerModel({ history: 'maybe-running' });
    Object.assign(worker, { sandboxes: left.sandboxes, containers: left.containers });
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.settle();
    expect(worker.published.map(({ phase }) => phase)).toEqual(['Running']);
  });

  it('continues to remove a terminating pod', () => {
    const worker = running();
    worker.send({ type: 'terminate-pod' });
    worker.restart();
    worker.send({ type: 'sync-pod', pod: graceful });
    worker.send({ type: 'terminate-pod' });
    worker.settle();
    expect(worker.reported).toEqual(['removed']);
  });

  it('leaves an ended pod unchanged', () => {
    const worker = running(pod({ restartPolicy: 'Never' }));
    worker.exit('main', 0);
    worker.notice();
    worker.settle();
    worker.restart();
    worker.send({ type: 'sync-pod', pod: pod({ restartPolicy: 'Never' }) });
    worker.settle();
    expect(worker.phase).toBe('Succeeded');
    expect(worker.started).toEqual(['main-0']);
  });
});

describe('a status manager that has lost its state', () => {
  it('gets the last status again', () => {
    const worker = running();
    const last = worker.published.at(-1);
    worker.send({ type: 'report-status' });
    expect(worker.published.slice(-2)).toEqual([last, last]);
  });

  it('gets nothing from a worker without a status', () => {
    const worker = new WorkerModel();
    worker.send({ type: 'report-status' });
    expect(worker.did).toEqual([]);
  });
});

it('keeps its statuses during an outage of the runtime, whose return triggers a retry', () => {
  const worker = new WorkerModel();
  worker.send({ type: 'sync-pod', pod: graceful });
  worker.requestStatus();
  worker.finishActing({ podFailure: 'no runtime' });
  const published = worker.published.length;
  const fault = { code: 'UNAVAILABLE', detail: 'no connection' } as const;
  worker.send({ type: 'runtime-health-changed', health: { state: 'down', since: 0, fault } });
  expect(worker.isWaiting('act')).toBe(false);
  const runtime = { name: 'containerd', version: '2', runtimeReady: true, networkNotReady: '' };
  worker.send({ type: 'runtime-health-changed', health: { state: 'up', since: 0, runtime } });
  expect(worker.isWaiting('act')).toBe(true);
  expect(worker.published).toHaveLength(published);
});
