import { describe, expect, it } from 'vitest';
import { SETTLE_MS } from '../../../actors/pod-worker/decide/on-report.ts';
import type { ContainerFailure } from '../../../actors/pod-worker/protocol.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { container, pod, record, sidecar } from '../../pod/pods.ts';
import { settings, WorkerModel } from './worker-model.ts';

/** A worker that has just received its pod. */
function wanted(one: Pod = pod()): WorkerModel {
  const worker = new WorkerModel();
  worker.send({ type: 'sync-pod', pod: one });
  return worker;
}

/** A worker with a running pod. */
function running(one: Pod = pod()): WorkerModel {
  const worker = wanted(one);
  worker.settle();
  return worker;
}

const failure = (reason: string, until?: number): ContainerFailure => ({ reason, message: 'it failed', until });
const never = pod({ restartPolicy: 'Never' });

describe('an instruction', () => {
  const image = (name: string): Pod => pod({ containers: [container('main', { image: name })] });

  it.each([
    { what: 'that arrives late', sequence: 1 },
    { what: 'that arrives twice', sequence: 2 },
  ])('$what is ignored', ({ sequence }) => {
    const worker = new WorkerModel();
    worker.send({ type: 'sync-pod', pod: image('new'), sequence: 2 });
    worker.send({ type: 'sync-pod', pod: image('old'), sequence });
    expect(worker.did).toEqual(['publish', 'observe']);
    worker.requestStatus();
    expect(worker.waiting).toMatchObject([{ type: 'act', pod: { spec: { containers: [{ image: 'new' }] } } }]);
  });

  it('with a terminal phase set by another client stops the pod, and leaves it visible', () => {
    const worker = running();
    worker.send({ type: 'reconcile-pod', pod: pod({ status: { phase: 'Failed' } }), sequence: 2 });
    expect(worker.waiting).toMatchObject([{ type: 'stop-pod', target: { wanted: 'ended' } }]);
  });

  describe('with the status of an earlier agent', () => {
    const annotations = { 'kubernetes.io/config.source': 'file' };
    const statically = pod({ metadata: { annotations } });
    const earlier = { name: 'main', ready: true, restartCount: 5, image: '', imageID: '', containerID: 'x://old' };
    const status = {
      phase: 'Running',
      containerStatuses: [{ ...earlier, state: { terminated: { exitCode: 3 } } }],
    } as const;

    it('has a static pod reported again, with counts that go on from there', () => {
      const worker = running(statically);
      expect(worker.published.at(-1)?.containerStatuses).toMatchObject([{ restartCount: 0 }]);
      worker.send({ type: 'reconcile-pod', pod: { ...statically, status }, sequence: 2 });
      expect(worker.published.at(-1)?.containerStatuses).toMatchObject([
        { restartCount: 6, lastState: { terminated: { exitCode: 3 } } },
      ]);
      worker.exit('main', 1);
      worker.notice();
      worker.settle();
      expect(worker.state.status?.containerStatuses?.[0]?.restartCount).toBeGreaterThanOrEqual(6);
      const told = worker.published.map(({ containerStatuses = [] }) => containerStatuses[0]?.restartCount ?? 0);
      expect(told).toEqual(told.toSorted((one, other) => one - other));
    });

    it('changes nothing when that status is no higher', () => {
      const worker = running(statically);
      const { published } = worker;
      const told = published.length;
      worker.send({ type: 'reconcile-pod', pod: { ...statically, status: { phase: 'Pending' } }, sequence: 2 });
      expect(worker.published).toHaveLength(told);
    });
  });

  it('keeps a failure visible until the next try has a result', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ failures: new Map([['main', failure('ErrImagePull')]]) });
    worker.requestStatus();
    worker.send({ type: 'sync-pod', pod: image('other') });
    expect(worker.waiting.map(({ type }) => type)).toContain('act');
    expect(worker.published.at(-1)?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ErrImagePull');
  });
});

describe('a new pod', () => {
  it('is pending at once, then observed, created, observed, and running', () => {
    const worker = wanted();
    expect(worker.did).toEqual(['publish', 'observe']);
    expect(worker.phase).toBe('Pending');
    worker.requestStatus();
    expect(worker.did.slice(2)).toEqual(['act']);
    worker.finishActing();
    expect(worker.waiting).toEqual([
      {
        type: 'observe',
        newerThan: worker.now,
        touched: { sandboxes: ['sandbox-0'], containers: [['main-0', 'sandbox-0']] },
      },
    ]);
    expect(worker.phase).toBe('Pending');
    worker.requestStatus();
    expect(worker.phase).toBe('Running');
    expect(worker.published.at(-1)?.podIP).toBe('10.0.0.7');
    expect(worker.waiting).toEqual([]);
  });

  it.each([
    { chance: 0, times: 1 },
    { chance: 0.5, times: 1.25 },
    { chance: 0.999, times: 1.4995 },
  ])('is observed again on the whole second after 1 to 1.5 times the sync frequency: $times', (drawn) => {
    const worker = running();
    worker.chance = drawn.chance;
    worker.notice();
    const earliest = worker.now + settings.syncFrequencyMs * drawn.times;
    expect(worker.syncAt).toBe(Math.ceil(earliest / 1_000) * 1_000);
  });

  it('shows its address with its first container, not with its sandbox', () => {
    const worker = wanted();
    worker.requestStatus();
    const { status, ...when } = worker.seen();
    const one = { ...status, ips: ['10.0.0.7'] };
    worker.send({ type: 'sandbox-ready', observed: { ...when, status: one } });
    expect(worker.published.at(-1)?.phase).toBe('Pending');
    expect(worker.published.at(-1)?.podIP).toBeUndefined();
    expect(worker.did.filter((type) => type === 'act')).toHaveLength(1);
  });

  it("waits for the network of the node, unless it uses the host's", () => {
    for (const hostNetwork of [false, true]) {
      const worker = new WorkerModel({ networkNotReady: 'cni config uninitialized' });
      worker.send({ type: 'sync-pod', pod: pod({ hostNetwork }) });
      worker.requestStatus();
      expect(worker.isWaiting('act')).toBe(hostNetwork);
      if (hostNetwork) continue;
      expect(worker.events).toEqual(['NetworkNotReady: network is not ready: cni config uninitialized']);
      expect(worker.syncAt).toBe(worker.now + 1_000);
      const runtime = { name: 'containerd', version: '2', runtimeReady: true, networkNotReady: '' };
      worker.send({ type: 'runtime-health-changed', health: { state: 'up', since: 0, runtime } });
      expect(worker.isWaiting('act')).toBe(true);
    }
  });

  it('with a readiness probe stays not ready', () => {
    const worker = running(pod({ containers: [container('main', { readinessProbe: {} })] }));
    expect(worker.phase).toBe('Running');
    expect(worker.published.at(-1)?.containerStatuses?.[0]?.ready).toBe(false);
  });
});

describe('init containers', () => {
  const two = pod({ initContainers: [container('first'), container('second')] });

  it('run one after the other, and before the regular containers', () => {
    const worker = running(two);
    expect(worker.started).toEqual(['first-0']);
    worker.exit('first', 0);
    worker.notice();
    worker.settle();
    expect(worker.started).toEqual(['first-0', 'second-0']);
    expect(worker.phase).toBe('Pending');
    worker.exit('second', 0);
    worker.notice();
    worker.settle();
    expect(worker.started).toEqual(['first-0', 'second-0', 'main-0']);
    expect(worker.phase).toBe('Running');
  });

  it('hold up regular containers while they fail, with the usual back-off', () => {
    const worker = running(two);
    for (const _ of [1, 2]) {
      worker.exit('first', 1);
      worker.notice();
      worker.settle();
    }
    expect(worker.started).toEqual(['first-0', 'first-1']);
    // The exit itself is seen first.
    expect(worker.waitingReason('first')).toBeUndefined();
    worker.notice();
    worker.settle();
    expect(worker.waitingReason('first')).toBe('CrashLoopBackOff');
  });
});

describe('a container that exits', () => {
  it('starts again at once the first time, then after 10 s, 20 s, and so on up to 300 s after its exit', () => {
    const worker = running();
    const waits: number[] = [];
    const reasons = new Set<string | undefined>();
    for (let crash = 1; crash <= 8; crash += 1) {
      worker.advance(1_000);
      worker.exit('main', 1);
      const exitedAt = worker.now;
      worker.notice();
      worker.settle();
      // The exit itself is reported first, and the back-off with the next observation.
      expect(worker.waitingReason()).toBeUndefined();
      // Observations at each resync change nothing else.
      while (worker.started.length === crash) {
        worker.advance((worker.syncAt ?? 0) - worker.now);
        worker.settle();
        reasons.add(worker.started.length === crash ? worker.waitingReason() : undefined);
      }
      waits.push(Math.floor(((worker.containers.at(-1)?.startedAt ?? 0) - exitedAt) / 1000));
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect([...reasons].filter((reason) => reason !== undefined)).toEqual(['CrashLoopBackOff']);
    expect(worker.phase).toBe('Running');
  });

  it('is synced to show its back-off, and again when the back-off is over', () => {
    const worker = running();
    for (const _ of [1, 2]) {
      worker.exit('main', 1);
      worker.notice();
      worker.settle();
    }
    const exit = worker.containers.at(-1)?.finishedAt ?? 0;
    expect(worker.syncAt).toBe(worker.now + 250);
    worker.advance(250);
    worker.settle();
    expect(worker.syncAt).toBe(exit + 10_000);
    expect(worker.events.at(-1)).toBe('BackOff: Back-off restarting failed container main in pod web_shop(uid-1)');
  });

  it('keeps only its last instance', () => {
    const worker = running();
    for (const _ of [1, 2]) {
      worker.exit('main', 1);
      worker.notice();
      worker.settle();
      worker.advance(10_000);
      worker.settle();
    }
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    expect(worker.containers.map(({ id }) => id)).toEqual(['main-2']);
    expect(worker.published.at(-1)?.containerStatuses?.[0]).toMatchObject({ restartCount: 2 });
  });

  it('keeps its immediate restart when the sync attempt never reached it', () => {
    const worker = running();
    worker.exit('main', 1);
    worker.notice();
    worker.finishActing({ podFailure: 'the sandbox is in the way' });
    worker.settle();
    expect(worker.syncAt).toBe(worker.now + 10_000);
    worker.advance(10_000);
    worker.settle();
    expect(worker.started).toEqual(['main-0', 'main-1']);
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    expect(worker.events.at(-1)).toMatch('BackOff');
    worker.advance(250);
    worker.settle();
    expect(worker.syncAt).toBe((worker.containers.at(-1)?.finishedAt ?? 0) + 10_000);
  });
});

describe('a failed attempt', () => {
  it.each([
    { rule: 'within a relist, because it created the sandbox', chance: 0, until: undefined, waits: 500 },
    { rule: 'after a whole relist at most', chance: 0.99, until: undefined, waits: 995 },
    { rule: 'at the time that the failure names', chance: 0, until: 40_000, waits: 40_000 },
  ])('is repeated $rule', ({ chance, until, waits }) => {
    const worker = wanted();
    worker.requestStatus();
    worker.chance = chance;
    const start = worker.now + 1;
    const due = until === undefined ? undefined : start + until;
    worker.finishActing({ failures: new Map([['main', failure('ErrImagePull', due)]]) });
    worker.requestStatus();
    expect(worker.waitingReason()).toBe('ErrImagePull');
    expect(worker.isWaiting('act')).toBe(false);
    expect(worker.syncAt).toBe(start + waits);
    worker.advance(waits);
    expect(worker.isWaiting('act')).toBe(true);
    expect(worker.waitingReason()).toBe('ErrImagePull');
    worker.settle();
    expect(worker.phase).toBe('Running');
  });

  /** The sandbox is there, and the container could not be made twice. */
  function failedTwice(chance = 0): WorkerModel {
    const worker = wanted(pod({ containers: [container('bad'), container('good')] }));
    worker.requestStatus();
    const failures = new Map([['bad', failure('CreateContainerError')]]);
    worker.finishActing({ failures });
    worker.requestStatus();
    worker.advance(1_000);
    worker.chance = chance;
    worker.finishActing({ failures });
    return worker;
  }

  it.each([
    { rule: 'after 10 s', chance: 0, waits: 10_000 },
    { rule: 'after up to half as long again', chance: 0.99, waits: 14_950 },
  ])('that changed nothing is repeated $rule', ({ chance, waits }) => {
    const worker = failedTwice(chance);
    const failedAt = worker.now;
    worker.requestStatus();
    expect(worker.isWaiting('act')).toBe(false);
    expect(worker.syncAt).toBe(failedAt + waits);
    worker.advance(waits);
    expect(worker.isWaiting('act')).toBe(true);
  });

  it('is repeated as soon as a container of the pod ends', () => {
    const worker = failedTwice();
    worker.requestStatus();
    worker.advance(3_000);
    expect(worker.isWaiting('act')).toBe(false);
    worker.exit('good', 0);
    worker.notice();
    expect(worker.waiting).toMatchObject([{ type: 'act', actions: { containersToStart: [0, 1] } }]);
  });

  it('is not repeated early for a container that was created and could not be started', () => {
    const worker = failedTwice();
    worker.containers.push(record('bad', 'created'));
    worker.requestStatus();
    worker.advance(5_000);
    expect(worker.isWaiting('act')).toBe(false);
  });

  it('of the whole pod is repeated within a relist when it changed something', () => {
    const worker = running();
    worker.sandboxes = worker.sandboxes.map((each) => ({ ...each, state: 'not-ready' }));
    worker.notice();
    worker.exit('main', 137);
    worker.finishActing({ podFailure: 'no address left' });
    worker.notice();
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(500);
    expect(worker.isWaiting('act')).toBe(true);
    worker.finishActing({ podFailure: 'no address left' });
    worker.notice();
    worker.advance(9_000);
    expect(worker.isWaiting('act')).toBe(false);
  });

  it('shows the waiting reason right after the failure', () => {
    const worker = wanted();
    worker.requestStatus();
    const pull = { ...failure('ErrImagePull'), waitsFor: { reason: 'ImagePullBackOff', message: 'Back-off' } };
    worker.finishActing({ failures: new Map([['main', pull]]) });
    worker.requestStatus();
    expect(worker.waitingReason()).toBe('ErrImagePull');
    worker.advance(250);
    expect(worker.waitingReason()).toBe('ImagePullBackOff');
    expect(worker.isWaiting('act')).toBe(false);
  });

  it.each([
    { chance: 0, waits: 10_000 },
    { chance: 0.99, waits: 14_950 },
  ])('to pull an image is repeated at the end of its back-off, and up to half later: $waits', ({ chance, waits }) => {
    const worker = wanted();
    worker.requestStatus();
    worker.chance = chance;
    const failedAt = worker.now + 1;
    const waitsFor = { reason: 'ImagePullBackOff', message: 'Back-off' };
    const pull = { ...failure('ErrImagePull', failedAt + 10_000), waitsFor };
    worker.finishActing({ failures: new Map([['main', pull]]) });
    worker.requestStatus();
    worker.advance(1_000);
    expect(worker.isWaiting('act')).toBe(false);
    expect(worker.syncAt).toBe(failedAt + waits);
  });

  it('is retried by the restart rules, if the attempt left an ended container', () => {
    const worker = running();
    worker.exit('main', 128);
    worker.notice();
    const [ended] = worker.containers;
    const left = { ...failure('RunContainerError'), ...(ended && { left: ended.id }) };
    worker.finishActing({ failures: new Map([['main', left]]) });
    worker.requestStatus();
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(250);
    expect(worker.waitingReason()).toBe('CrashLoopBackOff');
  });

  it('of one container is remembered during an attempt for another container', () => {
    const worker = wanted(pod({ containers: [container('good'), container('bad')] }));
    worker.requestStatus();
    worker.finishActing({ failures: new Map([['bad', failure('CreateContainerError')]]) });
    worker.requestStatus();
    worker.exit('good', 1);
    worker.notice();
    const act = worker.waiting.find((effect) => effect.type === 'act');
    expect(act).toMatchObject({ actions: { containersToStart: [0] } });
    worker.finishActing();
    worker.requestStatus();
    expect(worker.isWaiting('act')).toBe(false);
    expect(worker.waitingReason('bad')).toBe('CreateContainerError');
  });

  it('is retried at once with a new spec', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ failures: new Map([['main', failure('InvalidImageName')]]) });
    worker.requestStatus();
    worker.send({ type: 'sync-pod', pod: pod({ containers: [container('main', { image: 'other:1' })] }) });
    expect(worker.isWaiting('act')).toBe(true);
  });

  it('to create the sandbox is retried after the same delay, and nothing else starts before that', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ podFailure: 'no address left' });
    worker.notice();
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(9_998);
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(1);
    expect(worker.isWaiting('act')).toBe(true);
  });
});

describe('a machine whose clock is set', () => {
  const steps = [
    { way: 'an hour back', step: -3_600_000 },
    { way: 'an hour forward', step: 3_600_000 },
  ];

  /** A worker whose container is in back-off, for ten seconds after its second exit. */
  function crashLooping(): WorkerModel {
    const worker = running();
    for (const _ of [1, 2]) {
      worker.exit('main', 1);
      worker.notice();
      worker.settle();
    }
    return worker;
  }

  it.each(steps)('$way does not change the crash-loop delay', ({ step }) => {
    const worker = crashLooping();
    worker.clockStep = step;
    worker.notice();
    worker.advance(9_990);
    worker.settle();
    expect(worker.running).toEqual([]);
    worker.advance(20);
    worker.settle();
    expect(worker.running).toEqual(['main-2']);
  });

  it.each(steps)('$way between two workers leaves the delay within the back-off', ({ step }) => {
    const worker = crashLooping();
    worker.clockStep = step;
    worker.restart();
    worker.send({ type: 'sync-pod', pod: pod() });
    worker.settle();
    for (const wait of [250, 20_000]) {
      worker.advance(wait);
      worker.settle();
    }
    expect(worker.running).toEqual(['main-2']);
  });

  it.each(steps)('$way does not change the retry delay', ({ step }) => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ failures: new Map([['main', failure('CreateContainerError')]]) });
    worker.requestStatus();
    worker.clockStep = step;
    worker.notice();
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(10_000);
    expect(worker.isWaiting('act')).toBe(true);
  });
});

describe('a call that never reached the runtime', () => {
  it("is retried after the error delay; until then the container's status is unchanged, and no back-off step is used", () => {
    const worker = running();
    worker.exit('main', 1);
    worker.notice();
    const message = 'CreateContainer was not made: calls before it kept the runtime busy for 45 s';
    const failures = new Map([['main', { reason: 'ContainerCreating', message, until: undefined }]]);
    worker.finishActing({ failures, tried: new Set(), touched: { sandboxes: [], containers: [] } });
    worker.notice();
    expect(worker.published.at(-1)?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'ContainerCreating',
      message,
    });
    expect(worker.state.memory.crashLoops.size).toBe(0);
    expect(worker.isWaiting('act')).toBe(false);
    worker.advance(10_000);
    expect(worker.isWaiting('act')).toBe(true);
  });
});

describe('a call with an unknown outcome', () => {
  it('is followed by an observation newer than a second from now, before anything else is tried', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ inDoubt: true });
    expect(worker.waiting).toEqual([{ type: 'observe', newerThan: worker.now + SETTLE_MS, afterMs: SETTLE_MS }]);
    // PLEG may have made its observation before the call had an effect.
    worker.notice();
    expect(worker.isWaiting('act')).toBe(false);
    worker.requestStatus();
    expect(worker.isWaiting('act')).toBe(true);
  });

  it('is not repeated if the call succeeded after all', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing();
    const made = { sandboxes: worker.sandboxes, containers: worker.containers };
    const lost = wanted();
    lost.requestStatus();
    lost.finishActing({ inDoubt: true });
    Object.assign(lost, made);
    lost.requestStatus();
    expect(lost.isWaiting('act')).toBe(false);
    expect(lost.phase).toBe('Running');
  });
});

describe('a status from PLEG', () => {
  it('is applied in the order of revisions, not of arrival', () => {
    const worker = running();
    const earlier = worker.seen();
    worker.exit('main', 1);
    const later = worker.seen();
    worker.send({ type: 'pod-status-observed', ...later });
    worker.send({ type: 'pod-status-observed', ...earlier });
    expect(worker.state.observed?.status).toBe(later.status);
    expect(worker.waiting.filter(({ type }) => type === 'act')).toHaveLength(1);
  });

  it('is requested again after the sync frequency without a notice', () => {
    const worker = running();
    worker.containers = [];
    worker.advance(settings.syncFrequencyMs + 1_000);
    expect(worker.isWaiting('observe')).toBe(true);
    worker.settle();
    expect(worker.started).toEqual(['main-0', 'main-0']);
  });

  it('is requested again a second after a failure', () => {
    const worker = wanted();
    worker.takeWaiting('observe');
    worker.send({ type: 'observed', outcome: { ok: false, fault: { code: 'INTERRUPTED', detail: 'gone' } } });
    expect(worker.syncAt).toBe(worker.now + 1_000);
    worker.advance(1_000);
    worker.settle();
    expect(worker.phase).toBe('Running');
  });
});

describe('a pod with nothing left to run', () => {
  it('does nothing while its sandbox is dead and its restart policy forbids another', () => {
    const worker = running(pod({ restartPolicy: 'Never', initContainers: [container('init')] }));
    worker.exit('init', 0);
    worker.sandboxes = worker.sandboxes.map((each) => ({ ...each, state: 'not-ready' as const, attempt: 1 }));
    worker.notice();
    worker.settle();
    expect(worker.waiting).toEqual([]);
  });

  it.each([
    { code: 0, phase: 'Succeeded' },
    { code: 3, phase: 'Failed' },
  ])('ends as $phase with code $code, once everything has been stopped', ({ code, phase }) => {
    const worker = running(never);
    worker.exit('main', code);
    worker.notice();
    expect(worker.phase).toBe('Running');
    expect(worker.isWaiting('stop-pod')).toBe(true);
    worker.settle();
    expect(worker.phase).toBe(phase);
    expect(worker.reported).toEqual(['ended']);
    expect(worker.running).toEqual([]);
    expect(worker.containers).toHaveLength(1);
  });

  it('keeps its final status until the pod is removed, and then leaves nothing', () => {
    const worker = running(never);
    worker.exit('main', 0);
    worker.notice();
    worker.settle();
    worker.send({ type: 'sync-pod', pod: never });
    worker.settle();
    expect(worker.phase).toBe('Succeeded');
    worker.send({ type: 'terminate-pod' });
    worker.settle();
    expect(worker.reported).toEqual(['ended', 'removed']);
    expect([worker.sandboxes, worker.containers]).toEqual([[], []]);
  });

  it('fails at its active deadline, to the second', () => {
    const worker = running(pod({ activeDeadlineSeconds: 30 }));
    const start = Date.parse(worker.published.at(-1)?.startTime ?? '');
    expect(worker.syncAt).toBe(start + 30_000);
    worker.advance(30_000);
    worker.settle();
    expect(worker.published.at(-1)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(worker.running).toEqual([]);
    expect(worker.events).toEqual(['DeadlineExceeded: Pod was active on the node longer than the specified deadline']);
  });

  it('keeps the newest of its containers, and no others', () => {
    const worker = running(pod({ restartPolicy: 'OnFailure' }));
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    worker.exit('main', 0);
    worker.notice();
    worker.settle();
    expect(worker.phase).toBe('Succeeded');
    expect(worker.containers.map(({ id }) => id)).toEqual(['main-1']);
  });

  it('is not kept alive by its sidecars alone', () => {
    const worker = running(pod({ restartPolicy: 'Never', initContainers: [sidecar('proxy')] }));
    expect(worker.running).toEqual(['proxy-0', 'main-0']);
    worker.exit('main', 0);
    worker.notice();
    worker.settle();
    expect(worker.running).toEqual([]);
    expect(worker.phase).toBe('Succeeded');
  });
});

describe('the addresses of the node', () => {
  const ips = (worker: WorkerModel) => worker.published.at(-1)?.hostIPs?.map(({ ip }) => ip);

  it('are shown by a running pod, and followed', () => {
    const worker = running(pod());
    expect(ips(worker)).toEqual(['192.0.2.1']);
    worker.send({ type: 'host-ips-changed', hostIps: ['192.0.2.7', 'fd00::7'] });
    expect(worker.published.at(-1)).toMatchObject({ hostIP: '192.0.2.7' });
    expect(ips(worker)).toEqual(['192.0.2.7', 'fd00::7']);
  });

  it('stay in the status when the node loses them', () => {
    const worker = running(pod());
    const before = worker.published.length;
    worker.send({ type: 'host-ips-changed', hostIps: [] });
    expect(worker.published).toHaveLength(before);
    expect(ips(worker)).toEqual(['192.0.2.1']);
  });

  it('come late to a pod that started without them', () => {
    const worker = new WorkerModel();
    worker.send({ type: 'sync-pod', pod: pod(), hostIps: [] });
    worker.settle();
    expect(ips(worker)).toBeUndefined();
    worker.send({ type: 'host-ips-changed', hostIps: ['192.0.2.7'] });
    expect(ips(worker)).toEqual(['192.0.2.7']);
  });

  it('let a container that could not be configured try again at once', () => {
    const worker = wanted();
    worker.requestStatus();
    worker.finishActing({ failures: new Map([['main', failure('CreateContainerConfigError')]]) });
    worker.requestStatus();
    expect(worker.isWaiting('act')).toBe(false);
    worker.send({ type: 'host-ips-changed', hostIps: ['192.0.2.7'] });
    expect(worker.isWaiting('act')).toBe(true);
  });
});
