import { describe, expect, it } from 'vitest';

import { computePodActions } from '../../../src/pod/sync/compute-pod-actions.ts';
import { isIdle } from '../../../src/pod/sync/pod-actions.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import type { PodObservation } from '../../../src/pod/sync/pod-observation.ts';
import type { PodParts, RuntimeParts } from '../pods.ts';
import { container, exited, pod, record, runtime, sandbox, sidecar, verdicts } from '../pods.ts';

interface Case {
  readonly rule: string;
  readonly pod?: PodParts;
  readonly runtime?: RuntimeParts;
  readonly probes?: PodObservation['probes'];
  readonly resize?: PodObservation['resize'];
  readonly told?: Readonly<Record<string, number>>;
  /** Ephemeral containers that were reported to have run. */
  readonly ran?: readonly string[];
  readonly does: Partial<Record<keyof PodActions, unknown>>;
}

const act = ({ pod: parts, runtime: held, probes, resize, told, ran }: Omit<Case, 'rule' | 'does'>): PodActions =>
  computePodActions({
    pod: pod(parts),
    status: runtime(held),
    ...(probes && { probes }),
    ...(resize && { resize }),
    ...(told && { reportedExits: new Map(Object.entries(told)) }),
    ...(ran && { reportedEphemeral: new Set(ran) }),
  });

const probe = { livenessProbe: {}, startupProbe: {} };
const two = [container('a'), container('b')];
const inits = [container('i1'), container('i2')];
const kills = (name: string, reason: string, message: string) => [expect.objectContaining({ name, reason, message })];

function itDoes(cases: readonly Case[]): void {
  it.each(cases)('$rule', ({ does, ...given }) => {
    const idle = {
      killPod: false,
      createSandbox: false,
      initContainersToStart: [],
      containersToStart: [],
      ephemeralContainersToStart: [],
      containersToKill: [],
      containersToResize: [],
      containersToReset: [],
    };
    expect(act(given)).toMatchObject({ ...idle, ...does });
  });
}

describe('a pod without a good sandbox', () => {
  const dead: RuntimeParts = { sandboxes: [sandbox({ state: 'not-ready' })] };
  const renewed = { killPod: true, createSandbox: true };
  itDoes([
    {
      rule: 'gets a sandbox, and all its containers',
      pod: { containers: two },
      runtime: { sandboxes: [] },
      does: { ...renewed, attempt: 0, containersToStart: [0, 1] },
    },
    {
      rule: 'starts over with the first init container',
      pod: { initContainers: inits },
      runtime: { ...dead, containers: [record('main')] },
      does: { ...renewed, attempt: 1, initContainersToStart: [0] },
    },
    {
      rule: 'gets no sandbox, if it may never restart and has run',
      pod: { restartPolicy: 'Never' },
      runtime: { ...dead, containers: [record('main')] },
      does: { killPod: true },
    },
    {
      rule: 'gets a sandbox, if it may never restart but no container has run',
      pod: { restartPolicy: 'Never' },
      runtime: dead,
      does: { ...renewed, containersToStart: [0] },
    },
    {
      rule: 'leaves out containers that succeeded under OnFailure',
      pod: { restartPolicy: 'OnFailure', containers: two },
      runtime: { ...dead, containers: [exited('a', 0), exited('b', 1)] },
      does: { ...renewed, containersToStart: [1] },
    },
    {
      rule: "lets a container's own policy decide that",
      pod: { containers: [container('a', { restartPolicy: 'OnFailure' }), container('b')] },
      runtime: { ...dead, containers: [exited('a', 0)] },
      does: { ...renewed, containersToStart: [1] },
    },
    {
      rule: 'is over, when all succeeded under OnFailure',
      pod: { restartPolicy: 'OnFailure' },
      runtime: { ...dead, containers: [exited('main', 0)] },
      does: { killPod: true },
    },
  ]);
});

describe('an ephemeral container', () => {
  const ephemeralContainers = [container('dbg')];
  itDoes([
    {
      rule: 'is started, even while the pod initialises',
      pod: { ephemeralContainers, initContainers: inits },
      runtime: { containers: [record('i1')] },
      does: { ephemeralContainersToStart: [0] },
    },
    {
      rule: 'is never started twice',
      pod: { ephemeralContainers },
      runtime: { containers: [record('main'), exited('dbg', 1)] },
      does: {},
    },
    {
      rule: 'is not started again when the runtime has lost its record',
      pod: { ephemeralContainers: [...ephemeralContainers, container('other')] },
      runtime: { containers: [record('main')] },
      ran: ['dbg'],
      does: { ephemeralContainersToStart: [1] },
    },
  ]);
});

describe('a regular container', () => {
  const never: PodParts = { restartPolicy: 'Never' };
  const changed = { containers: [record('main', 'running', { hash: 'other' })] };
  itDoes([
    { rule: 'is started when it has no record', does: { containersToStart: [0] } },
    {
      rule: 'is started when it was only created',
      runtime: { containers: [record('main', 'created')] },
      does: { containersToStart: [0] },
    },
    {
      rule: 'is killed, then started, when its state is unknown',
      runtime: { containers: [record('main', 'unknown')] },
      does: {
        containersToStart: [0],
        containersToKill: kills(
          'main',
          'unknown-state',
          'Container main is in "unknown" state, try killing it before restart',
        ),
      },
    },
    {
      rule: 'is started again after an exit',
      runtime: { containers: [exited('main', 0)] },
      does: { containersToStart: [0] },
    },
    {
      rule: 'stays exited beside a running container',
      pod: { ...never, containers: two },
      runtime: { containers: [exited('a', 1), record('b')] },
      does: {},
    },
    { rule: 'is kept while it runs', runtime: { containers: [record('main')] }, does: {} },
    {
      rule: 'is replaced when its definition changed, whatever the policy',
      pod: never,
      runtime: changed,
      does: {
        containersToStart: [0],
        containersToKill: kills('main', 'definition-changed', 'Container main definition changed, will be restarted'),
      },
    },
    {
      rule: 'is restarted when its liveness probe fails',
      pod: { containers: [container('main', probe)] },
      runtime: { containers: [record('main')] },
      probes: verdicts({ liveness: { 'main-0': 'failure' } }),
      does: {
        containersToStart: [0],
        containersToKill: kills('main', 'liveness-probe', 'Container main failed liveness probe, will be restarted'),
      },
    },
    {
      rule: 'is restarted when its startup probe fails',
      pod: { containers: [container('main', probe)] },
      runtime: { containers: [record('main')] },
      probes: verdicts({ startup: { 'main-0': 'failure' } }),
      does: {
        containersToStart: [0],
        containersToKill: kills('main', 'startup-probe', 'Container main failed startup probe, will be restarted'),
      },
    },
    {
      rule: 'is only killed when a probe fails under Never',
      pod: { ...never, containers: two },
      runtime: { containers: [record('a'), record('b')] },
      probes: verdicts({ liveness: { 'a-0': 'failure' } }),
      does: { containersToKill: kills('a', 'liveness-probe', 'Container a failed liveness probe') },
    },
    {
      rule: 'ignores probe results of an earlier instance',
      runtime: { containers: [record('main', 'running', { attempt: 1 }), exited('main', 1)] },
      probes: verdicts({ liveness: { 'main-0': 'failure' } }),
      does: {},
    },
    {
      rule: 'is restarted when a resize requires it, whatever the policy',
      pod: never,
      runtime: { containers: [record('main')] },
      resize: () => 'restart',
      does: {
        containersToStart: [0],
        containersToKill: kills('main', 'resize', 'Container main resize requires restart'),
      },
    },
    {
      rule: 'is resized in place',
      runtime: { containers: [record('main')] },
      resize: () => 'in-place',
      does: { containersToResize: ['main-0'] },
    },
  ]);
});

describe('a container that is known to have ended but is missing from the runtime', () => {
  const lost: RuntimeParts = { sandboxes: [] };
  const onFailure: PodParts = { restartPolicy: 'OnFailure', containers: two };
  itDoes([
    {
      rule: 'is not run once more in a new sandbox',
      pod: onFailure,
      runtime: lost,
      told: { a: 0 },
      does: { killPod: true, createSandbox: true, containersToStart: [1] },
    },
    {
      rule: 'runs again if its policy allows it',
      pod: onFailure,
      runtime: lost,
      told: { a: 1 },
      does: { killPod: true, createSandbox: true, containersToStart: [0, 1] },
    },
    {
      rule: 'is not run once more in the same sandbox',
      pod: { restartPolicy: 'Never', containers: two },
      runtime: { containers: [record('b')] },
      told: { a: 3 },
      does: {},
    },
    {
      rule: 'needs no new sandbox, if it was the last',
      pod: { restartPolicy: 'Never' },
      runtime: lost,
      told: { main: 3 },
      does: { killPod: true },
    },
  ]);
});

describe('a pod with nothing to keep and nothing to start', () => {
  itDoes([
    {
      rule: 'is killed',
      pod: { restartPolicy: 'Never' },
      runtime: { containers: [exited('main', 0)] },
      does: { killPod: true },
    },
    {
      rule: 'is killed when its last container fails its probe under Never',
      pod: { restartPolicy: 'Never' },
      runtime: { containers: [record('main')] },
      probes: verdicts({ liveness: { 'main-0': 'failure' } }),
      does: {
        killPod: true,
        containersToKill: kills('main', 'liveness-probe', 'Container main failed liveness probe'),
      },
    },
  ]);

  it('is killed with its sidecars', () => {
    const given = {
      pod: { restartPolicy: 'Never', initContainers: [sidecar('side')] } as const,
      runtime: { containers: [record('side', 'running', { hash: 'old' }), exited('main', 0)] },
    };
    expect(act(given)).toMatchObject({ killPod: true, initContainersToStart: [] });
  });
});

describe('containers that all restart in place', () => {
  it('are removed, the requesting ones last', () => {
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } }] as const;
    const given = pod({
      initContainers: [container('init')],
      containers: [container('trigger', { restartPolicy: 'Never', restartPolicyRules: rules }), container('other')],
    });
    const status = runtime({
      containers: [
        exited('init', 0),
        exited('trigger', 88),
        record('other', 'running', { attempt: 1 }),
        exited('other', 1),
      ],
    });
    const actions = computePodActions({ pod: given, status, restartAllContainers: true });
    expect(actions).toMatchObject({ killPod: false, createSandbox: false, containersToStart: [] });
    expect(actions.containersToReset.map(({ id, stopFirst }) => [id, stopFirst])).toEqual([
      ['other-1', true],
      ['other-0', false],
      ['init-0', false],
      ['trigger-0', false],
    ]);
  });
});

it('a pod in its wanted state needs no action', () => {
  expect(isIdle(act({ runtime: { containers: [record('main')] } }))).toBe(true);
});
