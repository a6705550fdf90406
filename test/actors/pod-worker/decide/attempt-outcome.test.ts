import { describe, expect, it } from 'vitest';
import { attemptOutcome, endsAttempt } from '../../../../actors/pod-worker/decide/attempt-outcome.ts';
import type { ContainerResult, StepResult, Stop } from '../../../../actors/pod-worker/decide/step-result.ts';
import type { ActResult } from '../../../../actors/pod-worker/protocol.ts';
import { containerId, sandboxId } from '../../../../src/kube/ids.ts';
import type { FailedPull } from '../../../../src/pod/image/image-pull-decision.ts';
import { runtime } from '../../../pod/pods.ts';

const failure = { reason: 'CreateContainerError', message: 'no', until: undefined };
const containerFailed: Stop = { type: 'container-failed', failure };
const podFailed: Stop = { type: 'pod-failed', message: 'no address left' };
const notMade: Stop = { type: 'not-made', detail: 'no slot' };
const seen = (revision: number) => ({ status: runtime(), observedAt: revision, revision });
const failed = (message: string): FailedPull => ({
  entry: { delayMs: 10_000, advancedAt: 0 },
  refusal: { reason: 'ErrImagePull', message },
});

const container = (name: string, parts: Partial<ContainerResult> = {}): ContainerResult => ({
  type: 'container',
  name,
  ...parts,
});
const id = (name: string) => [containerId(`${name}-0`), sandboxId('s')] as const;
const stopped = (name: string): StepResult => ({ type: 'stopped', touched: { sandboxes: [], containers: [id(name)] } });

/** An outcome as plain values, without the members that equal those of an empty attempt. */
function changed(outcome: ActResult) {
  const { touched, tried, failures, failedPulls, actuated = new Map(), ...rest } = outcome;
  const plain = {
    sandboxes: touched.sandboxes,
    containers: touched.containers.map(([each]) => each),
    tried: [...tried],
    failures: [...failures],
    failedPulls: [...failedPulls].map(([key, { refusal }]) => `${key}: ${refusal.message}`),
    actuated: [...actuated],
  };
  const set = Object.entries(rest).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries([...Object.entries(plain).filter(([, list]) => list.length > 0), ...set]);
}

interface Case {
  readonly rule: string;
  readonly results: readonly StepResult[];
  readonly outcome: object;
  readonly failedPulls?: ReadonlyMap<string, FailedPull>;
}

describe('the outcome of a sync attempt', () => {
  it.each<Case>([
    { rule: 'without steps is empty', results: [], outcome: {} },
    {
      rule: 'names everything touched, in the order of the steps',
      results: [
        { type: 'stopped', touched: { sandboxes: [sandboxId('old')], containers: [id('a')] } },
        stopped('b'),
        { type: 'resized', touched: [id('c')], actuated: [], failure: undefined },
        container('d', { touched: id('d') }),
      ],
      outcome: { sandboxes: ['old'], containers: ['a-0', 'b-0', 'c-0', 'd-0'], tried: ['d'], resize: 'done' },
    },
    {
      rule: 'has the containers that were started as tried, without a failure',
      results: [container('a'), container('b')],
      outcome: { tried: ['a', 'b'] },
    },
    {
      rule: 'has a failed container beside the started ones',
      results: [container('a', { stop: containerFailed }), container('b')],
      outcome: { tried: ['a', 'b'], failures: [['a', failure]] },
    },
    {
      rule: 'shows a container whose call was never made as waiting, and not as tried',
      results: [container('a'), container('b', { stop: notMade })],
      outcome: {
        tried: ['a'],
        failures: [['b', { reason: 'ContainerCreating', message: 'no slot', until: undefined }]],
      },
    },
    {
      rule: 'is in doubt after a lost call, without a failure',
      results: [container('a', { touched: id('a'), stop: { type: 'in-doubt' } })],
      outcome: { containers: ['a-0'], tried: ['a'], inDoubt: true },
    },
    {
      rule: 'has no failure where the pod is being removed',
      results: [container('a', { touched: id('a'), stop: { type: 'cancelled' } })],
      outcome: { containers: ['a-0'], tried: ['a'] },
    },
    {
      rule: 'has the failure of the pod, whichever step it ended',
      results: [{ type: 'not-prepared', stop: podFailed }],
      outcome: { podFailure: 'no address left' },
    },
    {
      rule: 'has the failure of the pod, and the container that caused it as tried',
      results: [container('a', { stop: podFailed })],
      outcome: { tried: ['a'], podFailure: 'no address left' },
    },
    {
      rule: 'has a failed resize beside the started containers',
      results: [
        { type: 'resized', touched: [], actuated: [[containerId('a-0'), {}]], failure: 'refused' },
        container('b'),
      ],
      outcome: { tried: ['b'], actuated: [['a-0', {}]], resize: 'unfinished', resizeFailure: 'refused' },
    },
    {
      rule: 'tells a resize that was not begun from one that ended half-way',
      results: [{ type: 'resized', touched: [], actuated: [], failure: 'in use', refused: true }],
      outcome: { resize: 'refused', resizeFailure: 'in use' },
    },
    {
      rule: 'has the last resources of each container',
      results: [
        {
          type: 'resized',
          touched: [],
          actuated: [
            [containerId('a-0'), { limits: { memory: '1' } }],
            [containerId('a-0'), { limits: { cpu: '2' } }],
          ],
          failure: undefined,
        },
        container('b', { actuated: [containerId('b-0'), {}] }),
      ],
      outcome: {
        resize: 'done',
        tried: ['b'],
        actuated: [
          ['a-0', { limits: { cpu: '2' } }],
          ['b-0', {}],
        ],
      },
    },
    {
      rule: 'counts a created sandbox that could not be inspected',
      results: [{ type: 'sandbox', made: true, touched: sandboxId('new'), stop: podFailed }],
      outcome: { sandboxes: ['new'], createdSandbox: true, podFailure: 'no address left' },
    },
    {
      rule: 'counts no sandbox that was rejected',
      results: [{ type: 'sandbox', made: false, stop: podFailed }],
      outcome: { podFailure: 'no address left' },
    },
    {
      rule: 'has the latest observed status',
      results: [
        { type: 'sandbox', made: true, seen: seen(1) },
        container('a', { seen: seen(2) }),
        container('b', { seen: undefined }),
      ],
      outcome: { createdSandbox: true, tried: ['a', 'b'], seen: seen(2) },
    },
    {
      rule: 'keeps the failed pulls of other images',
      failedPulls: new Map([['x', failed('earlier')]]),
      results: [container('a')],
      outcome: { tried: ['a'], failedPulls: ['x: earlier'] },
    },
    {
      rule: 'has the last end of each pull',
      failedPulls: new Map([
        ['x', failed('earlier')],
        ['y', failed('earlier')],
      ]),
      results: [
        container('a', {
          pulls: [
            { key: 'x', failed: undefined },
            { key: 'x', failed: failed('again') },
          ],
        }),
        container('b', { pulls: [{ key: 'y', failed: undefined }] }),
      ],
      outcome: { tried: ['a', 'b'], failedPulls: ['x: again'] },
    },
  ])('$rule', ({ results, outcome, failedPulls = new Map() }) => {
    expect(changed(attemptOutcome(failedPulls, results))).toEqual(outcome);
  });
});

describe('a step of a sync attempt', () => {
  it.each<{ rule: string; result: StepResult; ends: boolean }>([
    { rule: 'that succeeded lets the next begin', result: container('a'), ends: false },
    {
      rule: 'about one container lets the others begin',
      result: container('a', { stop: containerFailed }),
      ends: false,
    },
    {
      rule: 'that could not resize lets the next begin',
      result: { type: 'resized', touched: [], actuated: [], failure: 'refused' },
      ends: false,
    },
    { rule: 'whose call was lost ends it', result: container('a', { stop: { type: 'in-doubt' } }), ends: true },
    { rule: 'whose call was never made ends it', result: container('a', { stop: notMade }), ends: true },
    {
      rule: 'of a pod that is being removed ends it',
      result: container('a', { stop: { type: 'cancelled' } }),
      ends: true,
    },
    {
      rule: 'on which the rest of the pod depends ends it',
      result: { type: 'sandbox', made: false, stop: podFailed },
      ends: true,
    },
  ])('$rule', ({ result, ends }) => {
    expect(endsAttempt(result)).toBe(ends);
  });
});
