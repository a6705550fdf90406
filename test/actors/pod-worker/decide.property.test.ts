import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PodPhase as WorkerPhase } from '../../../actors/pod-worker/worker-state.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { container, pod, sidecar } from '../../pod/pods.ts';
import { WorkerModel } from './worker-model.ts';

type Step = readonly [name: string, run: (worker: WorkerModel, one: Pod) => void];

const failed = new Map([['main', { reason: 'CreateContainerError', message: 'no', until: undefined }]]);
const runtime = { name: 'containerd', version: '2', runtimeReady: true, networkNotReady: '' };

/** Events that may happen to a worker, from outside and from its own effects. */
const STEPS: readonly Step[] = [
  ['look', (worker) => worker.requestStatus()],
  ['attempt-ended', (worker) => worker.finishActing()],
  ['acted, a container failed', (worker) => worker.finishActing({ failures: failed })],
  ['acted, the pod failed', (worker) => worker.finishActing({ podFailure: 'no' })],
  ['acted, in doubt', (worker) => worker.finishActing({ inDoubt: true })],
  ['stopped', (worker) => worker.finishStopping()],
  ['not stopped', (worker) => worker.finishStopping('no')],
  ['removed', (worker) => worker.finishRemoving()],
  ['not removed', (worker) => worker.finishRemoving('no')],
  ['previous status', (worker) => worker.readPreviousStatus()],
  ['notice', (worker) => worker.notice()],
  ['exit 0', (worker) => worker.exit('main', 0)],
  ['exit 1', (worker) => worker.exit('main', 1)],
  ['the helper exits', (worker) => worker.exit('init', 1)],
  ['a second', (worker) => worker.advance(1_000)],
  ['a minute', (worker) => worker.advance(61_000)],
  ['report', (worker) => worker.send({ type: 'report-status' })],
  [
    'runtime up',
    (worker) => worker.send({ type: 'runtime-health-changed', health: { state: 'up', since: 0, runtime } }),
  ],
  ['sync again', (worker, one) => worker.send({ type: 'sync-pod', pod: { ...one } })],
];
const ENDS: readonly Step[] = [
  ['terminate', (worker) => worker.send({ type: 'terminate-pod' })],
  ['terminate fast', (worker) => worker.send({ type: 'terminate-pod', gracePeriodSeconds: 2 })],
];

const steps = (from: readonly Step[]) =>
  fc.array(
    fc.constantFrom(...from).map((step) => Object.assign(step, { toString: () => step[0] })),
    { maxLength: 60 },
  );
const pods = fc.record({
  restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  initContainers: fc.constantFrom([], [container('init')], [sidecar('init')]),
  terminationGracePeriodSeconds: fc.constantFrom(1, 30),
});

const RANK: Readonly<Record<WorkerPhase['type'], number>> = {
  'waiting-for-pod': 0,
  syncing: 1,
  terminating: 2,
  terminated: 3,
};

describe('any history of a pod worker', () => {
  it('never moves the phase backwards, and an ended pod never runs again', () => {
    fc.assert(
      fc.property(pods, steps([...STEPS, ...ENDS]), (parts, happening) => {
        const one = pod(parts);
        const worker = new WorkerModel();
        worker.send({ type: 'sync-pod', pod: one });
        let rank = RANK[worker.state.phase.type];
        let end: string | undefined;
        for (const [, run] of happening) {
          run(worker, one);
          expect(RANK[worker.state.phase.type]).toBeGreaterThanOrEqual(rank);
          rank = RANK[worker.state.phase.type];
          const phase = worker.phase;
          expect(phase).toBe(end ?? phase);
          if (isTerminalPhase(phase)) end = phase;
        }
      }),
    );
  });

  it('has at most one sync attempt under way, and none during a stop or a removal of the pod', () => {
    fc.assert(
      fc.property(pods, steps([...STEPS, ...ENDS]), (parts, happening) => {
        const one = pod(parts);
        const worker = new WorkerModel();
        worker.send({ type: 'sync-pod', pod: one });
        for (const [, run] of happening) {
          run(worker, one);
          const under = worker.waiting.filter(({ type }) => type === 'act' || type === 'remove-pod');
          expect(under.length).toBeLessThanOrEqual(1);
          expect(under.length > 0 && worker.isWaiting('stop-pod')).toBe(false);
        }
      }),
    );
  });

  it('never runs two instances of a container', () => {
    fc.assert(
      fc.property(pods, steps(STEPS), (parts, happening) => {
        const one = pod(parts);
        const worker = new WorkerModel();
        worker.send({ type: 'sync-pod', pod: one });
        for (const [, run] of happening) {
          run(worker, one);
          const names = worker.containers.filter(({ state }) => state === 'running').map(({ name }) => name);
          expect(new Set(names).size).toBe(names.length);
        }
      }),
    );
  });

  it('settles once no more events arrive, with a terminating pod removed', () => {
    fc.assert(
      fc.property(pods, steps([...STEPS, ...ENDS]), (parts, happening) => {
        const one = pod(parts);
        const worker = new WorkerModel();
        worker.send({ type: 'sync-pod', pod: one });
        for (const [, run] of happening) if (!worker.reported.includes('removed')) run(worker, one);
        worker.settle();
        worker.send({ type: 'terminate-pod' });
        worker.settle();
        expect(worker.reported.at(-1)).toBe('removed');
        expect(worker.running).toEqual([]);
      }),
    );
  });

  it('keeps containers and phase unchanged over a restart of the worker', () => {
    fc.assert(
      fc.property(pods, steps(STEPS), (parts, happening) => {
        const one = pod(parts);
        const worker = new WorkerModel();
        worker.send({ type: 'sync-pod', pod: one });
        for (const [, run] of happening) run(worker, one);
        worker.settle();
        const { running, phase } = worker;
        const published = worker.published.length;
        worker.restart();
        worker.send({ type: 'sync-pod', pod: one });
        worker.settle();
        expect(worker.running.filter((id) => running.includes(id))).toEqual(running);
        const shown = worker.published.slice(published).map((status) => status.phase);
        expect(running.includes('main-0') ? shown : []).toEqual([]);
        expect([phase, 'Running', 'Pending']).toContain(worker.phase);
      }),
    );
  });
});
