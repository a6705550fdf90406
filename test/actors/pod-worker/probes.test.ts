import { describe, expect, it } from 'vitest';
import type { ProbeKind } from '../../../actors/probe-manager/protocol.ts';
import { containerId } from '../../../src/kube/ids.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import type { ProbeVerdict } from '../../../src/pod/values/probe-readiness.ts';
import { container, pod, record, sandbox, sidecar, type PodParts } from '../../pod/pods.ts';
import { settings, WorkerModel } from './worker-model.ts';

const exec = (command: string) => ({ exec: { command: [command] }, periodSeconds: 1 });
const READY = { readinessProbe: exec('ready') };
const LIVE = { livenessProbe: exec('live') };
const STARTED = { startupProbe: exec('started') };

function running(parts: Partial<Container> = {}, rest: PodParts = {}): WorkerModel {
  const worker = new WorkerModel();
  worker.send({ type: 'sync-pod', pod: pod({ containers: [container('main', parts)], ...rest }) });
  worker.settle();
  return worker;
}

function hears(worker: WorkerModel, kind: ProbeKind, verdict: ProbeVerdict, id = 'main-0'): void {
  worker.send({ type: 'probe-result', containerId: containerId(id), kind, verdict });
}

const ready = (worker: WorkerModel): string | undefined =>
  worker.published.at(-1)?.conditions?.find(({ type }) => type === 'Ready')?.status;
const main = (worker: WorkerModel) => worker.published.at(-1)?.containerStatuses?.[0];

describe('a pod worker and the probe manager', () => {
  it('sends the running containers with probes, once', () => {
    const worker = running({ ...READY, ...LIVE });
    expect(worker.probed).toHaveLength(1);
    expect(worker.probed[0]).toMatchObject({
      podUid: 'uid-1',
      name: 'web',
      namespace: 'shop',
      containers: [
        {
          id: 'main-0',
          name: 'main',
          fieldPath: 'spec.containers{main}',
          probes: [
            { kind: 'liveness', target: { type: 'exec', command: ['live'] }, periodSeconds: 1, failureThreshold: 3 },
            { kind: 'readiness', target: { type: 'exec', command: ['ready'] } },
          ],
        },
      ],
    });
  });

  it('sends nothing while no container has a probe', () => {
    expect(running().probed).toEqual([]);
  });

  it('sends them again for a new instance, and at intervals', () => {
    const worker = running(READY);
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    expect(worker.probed.at(-1)?.containers.map(({ id }) => id)).toEqual(['main-1']);
    const told = worker.probed.length;
    worker.advance(settings.syncFrequencyMs * 2);
    worker.settle();
    expect(worker.probed.length).toBeGreaterThan(told);
  });

  it('sends them again with all known verdicts when the probe manager has lost its state', () => {
    const worker = running({ ...STARTED, ...READY });
    hears(worker, 'startup', 'success');
    hears(worker, 'readiness', 'success');
    worker.send({ type: 'report-probes' });
    expect(worker.probed.at(-1)?.containers[0]?.verdicts).toEqual({ startup: 'success', readiness: 'success' });
  });

  it('has sidecars probed, and no other init container', () => {
    const worker = running({}, { initContainers: [container('first', READY), sidecar('helper', READY)] });
    worker.exit('first', 0);
    worker.notice();
    worker.settle();
    expect(worker.probed.at(-1)?.containers.map(({ fieldPath }) => fieldPath)).toEqual(['spec.initContainers{helper}']);
  });

  it('continues readiness probes alone while the pod terminates, until its end', () => {
    const worker = running({ ...READY, ...LIVE });
    worker.send({ type: 'terminate-pod' });
    expect(worker.probed.at(-1)?.containers[0]?.probes.map(({ kind }) => kind)).toEqual(['readiness']);
    worker.settle();
    expect(worker.did).toContain('forget-probes');
  });
});

describe('readiness', () => {
  it('follows the last verdict', () => {
    const worker = running(READY);
    expect([ready(worker), main(worker)?.ready]).toEqual(['False', false]);
    hears(worker, 'readiness', 'success');
    expect([ready(worker), main(worker)?.ready]).toEqual(['True', true]);
    hears(worker, 'readiness', 'failure');
    expect([ready(worker), main(worker)?.ready]).toEqual(['False', false]);
  });

  it('is also reported while the pod terminates', () => {
    const worker = running(READY);
    hears(worker, 'readiness', 'success');
    worker.send({ type: 'terminate-pod' });
    hears(worker, 'readiness', 'failure');
    expect(ready(worker)).toBe('False');
  });

  it('follows the startup probe', () => {
    const worker = running({ ...STARTED, ...READY });
    hears(worker, 'readiness', 'success');
    expect([main(worker)?.started, main(worker)?.ready]).toEqual([false, false]);
    hears(worker, 'startup', 'success');
    expect([main(worker)?.started, main(worker)?.ready]).toEqual([true, true]);
  });

  it('starts over with a new instance', () => {
    const worker = running(READY);
    hears(worker, 'readiness', 'success');
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    expect(main(worker)).toMatchObject({ restartCount: 1, ready: false });
  });

  it('is kept after a restart of the worker, until a probe reports', () => {
    const worker = running({ ...STARTED, ...READY });
    hears(worker, 'startup', 'success');
    hears(worker, 'readiness', 'success');
    const told = worker.published.length;
    const one: Pod = pod({ containers: [container('main', { ...STARTED, ...READY })] });
    worker.restart();
    worker.send({ type: 'sync-pod', pod: one });
    worker.settle();
    expect(worker.published.slice(told)).toEqual([]);
    expect(worker.probed.at(-1)?.containers[0]?.verdicts).toEqual({ startup: 'success', readiness: 'success' });
    hears(worker, 'readiness', 'failure');
    expect(ready(worker)).toBe('False');
  });

  it('comes from saved verdicts after a restart of the agent, and not from the API', () => {
    const worker = running(READY);
    hears(worker, 'readiness', 'success');
    const stale = worker.published.at(-1);
    const one = pod({ containers: [container('main', READY)], ...(stale === undefined ? {} : { status: stale }) });
    worker.restart({ history: 'maybe-running' });
    worker.takeWaiting('read-previous-status');
    const verdicts = new Map([[containerId('main-0'), { readiness: 'failure' }]] as const);
    worker.send({ type: 'previous-status-read', status: undefined, verdicts });
    worker.send({ type: 'sync-pod', pod: one });
    worker.settle();
    expect(ready(worker)).toBe('False');
  });
});

describe('a failed probe', () => {
  it.each([
    { kind: 'liveness', probe: LIVE, text: 'failed liveness probe' },
    { kind: 'startup', probe: STARTED, text: 'failed startup probe' },
  ] as const)('of $kind kills its container, which restarts at once', ({ kind, probe, text }) => {
    const worker = running(probe);
    hears(worker, kind, 'failure');
    const effect = worker.waiting.find(({ type }) => type === 'act');
    expect(effect).toMatchObject({
      actions: {
        containersToKill: [
          { id: 'main-0', reason: `${kind}-probe`, message: `Container main ${text}, will be restarted` },
        ],
        containersToStart: [0],
      },
    });
    worker.settle();
    expect(worker.running).toEqual(['main-1']);
  });

  it.each([
    { policy: 'OnFailure', kind: 'startup', starts: [0] },
    { policy: 'Never', kind: 'liveness', starts: [] },
  ] as const)('follows the restart policy $policy, whatever the exit code', ({ policy, kind, starts }) => {
    const worker = running({ ...LIVE, ...STARTED }, { restartPolicy: policy });
    hears(worker, kind, 'failure');
    const effect = worker.waiting.find(({ type }) => type === 'act');
    expect(effect).toMatchObject({ actions: { containersToStart: starts, killPod: policy === 'Never' } });
  });

  it('of a removed instance changes nothing', () => {
    const worker = running(LIVE);
    worker.exit('main', 1);
    worker.notice();
    worker.settle();
    hears(worker, 'liveness', 'failure', 'main-0');
    expect(worker.waiting).toEqual([]);
    expect(worker.running).toEqual(['main-1']);
  });

  it('does not hold up a terminating pod', () => {
    const worker = running(LIVE);
    worker.send({ type: 'terminate-pod' });
    hears(worker, 'liveness', 'failure');
    worker.settle();
    expect(worker.started).toEqual(['main-0']);
    expect(worker.reported).toEqual(['removed']);
  });
});

describe('a sidecar with a startup probe', () => {
  it('holds up later containers until it has started', () => {
    const worker = running({}, { initContainers: [sidecar('helper', STARTED)] });
    expect(worker.running).toEqual(['helper-0']);
    hears(worker, 'startup', 'success', 'helper-0');
    worker.settle();
    expect(worker.running).toEqual(['helper-0', 'main-0']);
  });

  it('is restarted when the startup probe fails', () => {
    const worker = running({}, { initContainers: [sidecar('helper', STARTED)] });
    hears(worker, 'startup', 'failure', 'helper-0');
    worker.settle();
    expect(worker.started).toEqual(['helper-0', 'helper-1']);
  });
});

describe('a container whose exit restarts all containers', () => {
  const RULE = {
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
  } as const;

  it('makes the worker stop and remove every container of the pod, then start from the first', () => {
    const worker = running({}, { containers: [container('main', RULE), container('other')] });
    worker.exit('main', 42);
    worker.notice();
    const effect = worker.waiting.find(({ type }) => type === 'act');
    expect(effect).toMatchObject({
      actions: {
        containersToReset: [
          { id: 'other-0', stopFirst: true },
          { id: 'main-0', stopFirst: false },
        ],
        containersToStart: [],
      },
    });
    const restarting = worker.published.at(-1)?.conditions?.find(({ type }) => type === 'AllContainersRestarting');
    expect(restarting?.status).toBe('True');
  });

  it('starts again on its own, with its restarts counted', () => {
    const worker = running({}, { containers: [container('main', RULE), container('other')] });
    worker.exit('main', 42);
    worker.notice();
    worker.takeWaiting('act');
    worker.containers = [];
    worker.send({
      type: 'attempt-ended',
      result: {
        touched: { sandboxes: [], containers: [[containerId('main-0'), undefined]] },
        tried: new Set(),
        failures: new Map(),
        failedPulls: new Map(),
        podFailure: undefined,
        inDoubt: false,
      },
    });
    worker.settle();
    expect(worker.running).toHaveLength(2);
    expect(main(worker)?.restartCount).toBe(1);
    const restarting = worker.published.at(-1)?.conditions?.find(({ type }) => type === 'AllContainersRestarting');
    expect(restarting?.status).toBe('False');
  });
});

const hooked = { lifecycle: { postStart: { exec: { command: ['hook'] } } } };

describe('a container whose postStart hook has not returned', () => {
  const flags = (worker: WorkerModel, name = 'main') => {
    const status = worker.published.at(-1);
    const found = status?.containerStatuses?.find((each) => each.name === name);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
    return [found?.state?.running !== undefined, found?.started, found?.ready, ready];
  };
  /** A pod of two, of which the first has just been started and its hook runs. */
  function inHook(): WorkerModel {
    const worker = new WorkerModel();
    worker.send({ type: 'sync-pod', pod: pod({ containers: [container('main', hooked), container('next')] }) });
    worker.requestStatus();
    worker.sandboxes = [sandbox()];
    worker.containers = [record('main')];
    worker.send({ type: 'sandbox-ready', observed: worker.seen() });
    return worker;
  }
  const returned = (worker: WorkerModel, result: Parameters<WorkerModel['finishActing']>[0] = {}): void => {
    worker.sandboxes = [];
    worker.containers = [];
    worker.finishActing(result);
    worker.requestStatus();
  };

  it('is running, and neither started nor ready', () => {
    expect(flags(inHook())).toEqual([true, false, false, 'False']);
  });

  it('is not ready either when PLEG or a probe reports meanwhile', () => {
    const worker = inHook();
    worker.notice();
    worker.send({ type: 'probe-result', containerId: containerId('main-0'), kind: 'readiness', verdict: 'success' });
    expect(flags(worker)).toEqual([true, false, false, 'False']);
  });

  it('is ready once the attempt is over', () => {
    const worker = inHook();
    returned(worker);
    expect(flags(worker)).toEqual([true, true, true, 'True']);
  });

  it('leaves a container that ran before as it is', () => {
    const worker = inHook();
    returned(worker);
    worker.exit('next', 1);
    worker.notice();
    expect(worker.isWaiting('act')).toBe(true);
    expect(flags(worker).slice(0, 3)).toEqual([true, true, true]);
  });

  it('is never ready when its pod is removed meanwhile', () => {
    const worker = inHook();
    worker.send({ type: 'terminate-pod', gracePeriodSeconds: 5 });
    worker.takeWaiting('act');
    worker.send({
      type: 'attempt-ended',
      result: {
        touched: { sandboxes: [], containers: [[containerId('main-0'), undefined]] },
        tried: new Set(['main']),
        failures: new Map(),
        failedPulls: new Map(),
        podFailure: undefined,
        inDoubt: false,
        unfinishedHook: containerId('main-0'),
      },
    });
    worker.requestStatus();
    worker.notice();
    expect(worker.isWaiting('stop-pod')).toBe(true);
    expect(flags(worker)).toEqual([true, false, false, 'False']);
  });

  it('whose start was in doubt has its hook run when it turns out to run', () => {
    const worker = inHook();
    worker.takeWaiting('act');
    worker.send({
      type: 'attempt-ended',
      result: {
        touched: { sandboxes: [], containers: [] },
        tried: new Set(['main']),
        failures: new Map(),
        failedPulls: new Map(),
        podFailure: undefined,
        inDoubt: true,
        unfinishedHook: containerId('main-0'),
      },
    });
    worker.requestStatus();
    expect(worker.waiting).toMatchObject([{ type: 'act', unfinishedHook: 'main-0' }]);
    expect(flags(worker).slice(0, 3)).toEqual([true, false, false]);
  });
});

describe('a postStart hook interrupted by a restart of the agent', () => {
  const restarted = (unfinishedHook: string): WorkerModel => {
    const worker = running(hooked);
    worker.restart();
    worker.takeWaiting('read-previous-status');
    worker.send({
      type: 'previous-status-read',
      status: worker.published.at(-1),
      unfinishedHook: containerId(unfinishedHook),
    });
    worker.send({ type: 'sync-pod', pod: pod({ containers: [container('main', hooked)] }) });
    worker.requestStatus();
    return worker;
  };

  it('runs again, once, and touches nothing else', () => {
    const worker = restarted('main-0');
    expect(worker.waiting.find(({ type }) => type === 'act')).toMatchObject({
      unfinishedHook: 'main-0',
      actions: { killPod: false, containersToStart: [], containersToKill: [] },
    });
    worker.settle();
    worker.notice();
    expect(worker.waiting).toEqual([]);
    expect(worker.started).toEqual(['main-0']);
  });

  it('leaves its container as it was reported: ready if that was so', () => {
    const worker = restarted('main-0');
    expect(main(worker)).toMatchObject({ started: true, ready: true });
  });

  it('does not run again when its container is gone', () => {
    expect(restarted('main-7').isWaiting('act')).toBe(false);
  });
});
