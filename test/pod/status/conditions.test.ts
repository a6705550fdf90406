import { describe, expect, it } from 'vitest';

import type { ContainerStatus, PodCondition, PodPhase } from '../../../src/kube/pod.ts';
import { podConditions } from '../../../src/pod/status/conditions.ts';
import type { PodParts, RuntimeParts } from '../pods.ts';
import { container, exited, pod, record, runtime, sidecar } from '../pods.ts';
import { ended, running, terminated, waiting } from '../statuses.ts';

interface Case {
  readonly rule: string;
  readonly type: string;
  readonly pod?: PodParts;
  readonly runtime?: RuntimeParts;
  readonly phase?: PodPhase;
  readonly init?: readonly ContainerStatus[];
  readonly regular?: readonly ContainerStatus[];
  readonly previous?: readonly PodCondition[];
  /** `Status/Reason/Message`, `undefined` for a condition that must be absent. */
  readonly says: string | undefined;
}

const two: PodParts = { containers: [container('a'), container('b')] };
const inits: PodParts = { initContainers: [container('i'), sidecar('s')] };
const readyMain = [running('main', { ready: true, started: true })];
const gated = (status?: 'True' | 'False'): PodParts => ({
  readinessGates: [{ conditionType: 'x/gate' }],
  ...(status && { status: { conditions: [{ type: 'x/gate', status }] } }),
});
const resetting: PodParts = {
  containers: [
    container('main', {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } }],
    }),
  ],
};
const isResetting: PodCondition[] = [{ type: 'AllContainersRestarting', status: 'True' }];
const STARTED = 'True/RestartAllContainersStarted/container exited with restart policy rule';
const disruption: PodCondition = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' };

describe('the condition', () => {
  it.each<Case>([
    { rule: 'True with a good sandbox', type: 'PodReadyToStartContainers', says: 'True' },
    { rule: 'False without a sandbox', type: 'PodReadyToStartContainers', runtime: { sandboxes: [] }, says: 'False' },
    { rule: 'True without init containers', type: 'Initialized', regular: [waiting('main')], says: 'True' },
    {
      rule: 'True while all containers restart in place',
      type: 'Initialized',
      pod: inits,
      init: [running('i')],
      regular: [waiting('main', { lastState: ended(137, 'RestartingAllContainers') })],
      says: 'True',
    },
    {
      rule: 'False naming incomplete containers',
      type: 'Initialized',
      pod: inits,
      init: [terminated('i', 0, { ready: true }), running('s', { started: false })],
      regular: [waiting('main')],
      says: 'False/ContainersNotInitialized/containers with incomplete status: [s]',
    },
    {
      rule: 'False naming unknown containers, too',
      type: 'Initialized',
      pod: inits,
      init: [running('s', { started: false })],
      regular: [waiting('main')],
      says: 'False/ContainersNotInitialized/containers with unknown status: [i], containers with incomplete status: [s]',
    },
    {
      rule: 'True once a regular container has begun',
      type: 'Initialized',
      pod: inits,
      init: [],
      regular: [running('main')],
      says: 'True',
    },
    {
      rule: 'True with a reason when the pod succeeded',
      type: 'Initialized',
      phase: 'Succeeded',
      says: 'True/PodCompleted',
    },
    { rule: 'True when all are ready', type: 'ContainersReady', regular: readyMain, says: 'True' },
    {
      rule: 'False naming unready containers, sidecars first',
      type: 'ContainersReady',
      pod: { ...two, ...inits },
      init: [terminated('i', 0), running('s')],
      regular: [waiting('b'), waiting('a')],
      says: 'False/ContainersNotReady/containers with unready status: [s a b]',
    },
    {
      rule: 'False naming containers without a status',
      type: 'ContainersReady',
      pod: two,
      regular: [waiting('a')],
      says: 'False/ContainersNotReady/containers with unknown status: [b], containers with unready status: [a]',
    },
    {
      rule: 'False when the pod succeeded',
      type: 'ContainersReady',
      phase: 'Succeeded',
      regular: [terminated('main', 0)],
      says: 'False/PodCompleted',
    },
    {
      rule: 'False when the pod failed, though containers may still run',
      type: 'ContainersReady',
      phase: 'Failed',
      regular: readyMain,
      says: 'False/PodFailed',
    },
    { rule: 'True without readiness gates', type: 'Ready', regular: readyMain, says: 'True' },
    {
      rule: 'False with ContainersReady',
      type: 'Ready',
      regular: [waiting('main')],
      says: 'False/ContainersNotReady/containers with unready status: [main]',
    },
    {
      rule: 'False while a gate is missing',
      type: 'Ready',
      pod: gated(),
      regular: readyMain,
      says: 'False/ReadinessGatesNotReady/corresponding condition of pod readiness gate "x/gate" does not exist.',
    },
    {
      rule: 'False while a gate is false',
      type: 'Ready',
      pod: gated('False'),
      regular: readyMain,
      says: 'False/ReadinessGatesNotReady/the status of pod readiness gate "x/gate" is not "True", but False',
    },
    { rule: 'True when its gates are true', type: 'Ready', pod: gated('True'), regular: readyMain, says: 'True' },
    { rule: 'True always', type: 'PodScheduled', says: 'True' },
    { rule: 'copied when another client owns it', type: 'x/gate', pod: gated('False'), says: 'False' },
    { rule: 'carried along', type: 'DisruptionTarget', previous: [disruption], says: 'True/TerminationByKubelet' },
    {
      rule: 'carried over while the pod lives',
      type: 'PodResizePending',
      previous: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
      says: 'True/Deferred',
    },
    {
      rule: 'dropped when the pod has finished',
      type: 'PodResizePending',
      phase: 'Failed',
      previous: [{ type: 'PodResizePending', status: 'True' }],
      says: undefined,
    },
    { rule: 'absent without a restart rule', type: 'AllContainersRestarting', says: undefined },
    {
      rule: 'False with a rule that no exit matched',
      type: 'AllContainersRestarting',
      pod: resetting,
      runtime: { containers: [exited('main', 1)] },
      says: 'False',
    },
    {
      rule: 'True from the matching exit on',
      type: 'AllContainersRestarting',
      pod: resetting,
      runtime: { containers: [exited('main', 88)] },
      says: STARTED,
    },
    {
      rule: 'True while records remain',
      type: 'AllContainersRestarting',
      pod: resetting,
      runtime: { containers: [record('main')] },
      previous: isResetting,
      says: STARTED,
    },
    {
      rule: 'False when no record remains',
      type: 'AllContainersRestarting',
      pod: resetting,
      previous: isResetting,
      says: 'False',
    },
    {
      rule: 'False when the pod has finished',
      type: 'AllContainersRestarting',
      pod: resetting,
      phase: 'Failed',
      says: 'False/PodFailed',
    },
  ])('$type is $rule', ({ type, says, ...given }) => {
    const conditions = podConditions({
      pod: pod(given.pod),
      runtime: runtime(given.runtime),
      phase: given.phase ?? 'Running',
      initStatuses: given.init ?? [],
      statuses: given.regular ?? readyMain,
      previous: given.previous ?? [],
    });
    const found = conditions.filter((condition) => condition.type === type);
    const said = found.map(({ status, reason, message }) => [status, reason, message].filter(Boolean).join('/'));
    expect(said).toEqual(says === undefined ? [] : [says]);
  });

  it('has the observed generation', () => {
    const conditions = podConditions({
      pod: pod({ metadata: { generation: 3 } }),
      runtime: runtime(),
      phase: 'Running',
      initStatuses: [],
      statuses: readyMain,
      previous: [],
    });
    expect(new Set(conditions.map(({ observedGeneration }) => observedGeneration))).toEqual(new Set([3]));
  });
});
