import { describe, expect, it } from 'vitest';
import type { NodeCondition } from '../../../src/kube/node.ts';
import {
  pressureVerdicts,
  readyVerdict,
  transitionReasons,
  withVerdicts,
} from '../../../src/node/object/node-conditions.ts';
import {
  plegProblem,
  runtimeProblems,
  silentRuntime,
  type RuntimeState,
} from '../../../src/node/object/runtime-state.ts';

const capacity = { cpu: '1', memory: '1Gi', pods: '110', 'ephemeral-storage': '1Gi' };
const ready = (change: Partial<Parameters<typeof readyVerdict>[0]> = {}) =>
  readyVerdict({ problems: [], warnings: [], capacity, localStorageCapacityIsolation: true, ...change });

describe('the Ready condition', () => {
  const { 'ephemeral-storage': _, ...withoutStorage } = capacity;
  it.each([
    { rule: 'is true', verdict: ready(), status: 'True', message: 'kubelet is posting ready status' },
    {
      rule: 'appends warnings to the message',
      verdict: ready({ warnings: ['a', 'b'] }),
      status: 'True',
      message: 'kubelet is posting ready status. WARNING: a, b',
    },
    { rule: 'has the only problem', verdict: ready({ problems: ['down'] }), status: 'False', message: 'down' },
    {
      rule: 'has all problems, each once',
      verdict: ready({ problems: ['down', 'ill', 'down'], warnings: ['a'] }),
      status: 'False',
      message: '[down, ill]',
    },
    {
      rule: 'is false while the capacity is unknown',
      verdict: ready({ capacity: { pods: '1' } }),
      status: 'False',
      message: 'missing node capacity for resources: cpu, memory, ephemeral-storage',
    },
    {
      rule: 'needs no storage capacity where storage is not counted',
      verdict: ready({ capacity: withoutStorage, localStorageCapacityIsolation: false }),
      status: 'True',
      message: 'kubelet is posting ready status',
    },
  ])('$rule', ({ verdict, status, message }) => {
    expect(verdict).toEqual({
      type: 'Ready',
      status,
      reason: status === 'True' ? 'KubeletReady' : 'KubeletNotReady',
      message,
    });
  });
});

describe('the conditions of a node', () => {
  const at = (status: 'True' | 'False', time: string): NodeCondition => ({
    ...ready(),
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  it.each([
    { rule: 'keep their transition time', before: [at('True', 'then')], transition: 'then' },
    { rule: 'have a new transition time with a new status', before: [at('False', 'then')], transition: 'now' },
    { rule: 'begin now', before: [], transition: 'now' },
  ])('$rule', ({ before, transition }) => {
    const [condition] = withVerdicts(before, [ready()], 'now');
    expect(condition).toMatchObject({ lastHeartbeatTime: 'now', lastTransitionTime: transition });
  });

  it('keep conditions of other clients in place', () => {
    const foreign: NodeCondition = { type: 'NetworkUnavailable', status: 'True' };
    const after = withVerdicts([foreign, at('True', 'then')], [...pressureVerdicts(calm), ready()], 'now');
    expect(after[0]).toBe(foreign);
    expect(after.map(({ type }) => type)).toEqual([
      'NetworkUnavailable',
      'Ready',
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
    ]);
  });

  const calm = { memory: false, disk: false, pid: false };
  it.each([
    { rule: 'that change', before: [at('False', 'then')], reasons: ['NodeReady'] },
    { rule: 'that do not change', before: [at('True', 'then')], reasons: [] },
    { rule: 'that are new', before: [], reasons: ['NodeReady'] },
  ])('$rule give the events $reasons', ({ before, reasons }) => {
    expect(transitionReasons(before, [ready()]).map(({ reason }) => reason)).toEqual(reasons);
  });

  it('have the kubelet’s reasons', () => {
    const reasons = (all: boolean) =>
      pressureVerdicts({ memory: all, disk: all, pid: all }).map(({ status, reason }) => `${status} ${reason}`);
    expect(reasons(false)).toEqual([
      'False KubeletHasSufficientMemory',
      'False KubeletHasNoDiskPressure',
      'False KubeletHasSufficientPID',
    ]);
    expect(reasons(true)).toEqual([
      'True KubeletHasInsufficientMemory',
      'True KubeletHasDiskPressure',
      'True KubeletHasInsufficientPID',
    ]);
  });
});

describe("the runtime's effect on readiness", () => {
  const condition = (type: string, status: boolean) => ({ type, status, reason: 'R', message: 'm' });
  const well: RuntimeState = {
    ...silentRuntime,
    lastAnswerAt: 1_000,
    answers: true,
    conditions: [condition('RuntimeReady', true), condition('NetworkReady', true)],
  };
  it.each([
    { rule: 'nothing', runtime: well, problems: [] },
    {
      rule: 'not ready before the first answer',
      runtime: silentRuntime,
      problems: ['container runtime status check may not have completed yet'],
    },
    {
      rule: 'ready, silent for less than half a minute',
      runtime: { ...well, answers: false, lastAnswerAt: 70_001 },
      problems: [],
    },
    {
      rule: 'not ready, silent for half a minute',
      runtime: { ...well, answers: false, lastAnswerAt: 70_000 },
      problems: ['container runtime is down'],
    },
    {
      rule: "the runtime's own condition",
      runtime: { ...well, conditions: [condition('RuntimeReady', false), condition('NetworkReady', false)] },
      problems: [
        'container runtime not ready: RuntimeReady=false reason:R message:m',
        'container runtime network not ready: NetworkReady=false reason:R message:m',
      ],
    },
  ])('$rule', ({ runtime, problems }) => {
    expect(runtimeProblems(runtime, 100_000)).toEqual(problems);
  });

  it.each([
    { healthy: true, age: 1, problem: undefined },
    {
      healthy: false,
      age: undefined,
      problem: 'PLEG is not healthy: pleg has yet to be successful; threshold is 3m0s',
    },
    {
      healthy: false,
      age: 185_000,
      problem: 'PLEG is not healthy: pleg was last seen active 3m5s ago; threshold is 3m0s',
    },
  ])('PLEG, healthy: $healthy, last relist $age ms ago', ({ healthy, age, problem }) => {
    expect(plegProblem(healthy, age)).toBe(problem);
  });
});
