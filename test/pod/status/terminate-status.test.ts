import { describe, expect, it } from 'vitest';

import { containerId } from '../../../src/kube/ids.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { withReadiness, withStarted } from '../../../src/pod/status/probe-status-update.ts';
import { terminateStatus } from '../../../src/pod/status/terminate-status.ts';
import { container, pod, sidecar } from '../pods.ts';
import { ended, running, terminated, waiting } from '../statuses.ts';

const lost = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };

describe('the last status of a pod', () => {
  it.each([
    { rule: 'is Failed if the pod had not ended', given: {}, phase: 'Running', last: 'Failed' },
    { rule: 'stays Succeeded', given: {}, phase: 'Succeeded', last: 'Succeeded' },
    {
      rule: 'leaves a static pod its phase',
      given: { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } },
      phase: 'Running',
      last: 'Running',
    },
  ] as const)('$rule', ({ given, phase, last }) => {
    expect(terminateStatus(pod(given), { phase }).phase).toBe(last);
  });

  it('ends containers whose end was never observed', () => {
    const status = { phase: 'Running', containerStatuses: [running('a'), waiting('b'), terminated('c', 0)] } as const;
    expect(terminateStatus(pod(), status).containerStatuses).toMatchObject([
      { state: lost },
      { state: lost },
      { state: ended(0) },
    ]);
  });

  const init = { initContainers: [container('i1'), container('i2'), container('i3')] };
  it('ends init containers up to the last that started', () => {
    const status = {
      initContainerStatuses: [waiting('i1'), running('i2'), waiting('i3')],
      containerStatuses: [waiting('main')],
    };
    expect(terminateStatus(pod(init), status)).toMatchObject({
      initContainerStatuses: [{ state: lost }, { state: lost }, { state: { waiting: {} } }],
      containerStatuses: [{ state: { waiting: {} } }],
    });
  });

  it('ends the first init container in any case', () => {
    const status = { initContainerStatuses: [waiting('i1'), waiting('i2')] };
    expect(terminateStatus(pod(init), status).initContainerStatuses).toMatchObject([
      { state: lost },
      { state: { waiting: {} } },
    ]);
  });

  it.each<{ rule: string; known: PodStatus; now?: PodStatus; last?: typeof sidecar; ends: boolean }>([
    {
      rule: 'the API knows the last init container succeeded',
      known: { initContainerStatuses: [terminated('i', 0)] },
      ends: true,
    },
    {
      rule: 'a container that succeeded once',
      known: { initContainerStatuses: [waiting('i', { lastState: ended(0) })] },
      ends: true,
    },
    { rule: 'a container that failed', known: { initContainerStatuses: [terminated('i', 1)] }, ends: false },
    {
      rule: 'a container that was stopped with the pod',
      known: { initContainerStatuses: [running('i')] },
      now: { initContainerStatuses: [terminated('i', 0)] },
      ends: false,
    },
    {
      rule: 'the last sidecar had started',
      known: { initContainerStatuses: [running('i', { started: true })] },
      last: sidecar,
      ends: true,
    },
    {
      rule: 'another regular container had run',
      known: {},
      now: { containerStatuses: [waiting('main'), waiting('b', { lastState: ended(1) })] },
      ends: true,
    },
  ])('ends regular containers when $rule: $ends', ({ known, now, last = container, ends }) => {
    const given = pod({ initContainers: [last('i')], status: known });
    const status = { containerStatuses: [waiting('main')], ...now };
    const [main] = terminateStatus(given, status).containerStatuses ?? [];
    expect(main?.state?.terminated !== undefined).toBe(ends);
  });
});

describe('a probe result', () => {
  const status: PodStatus = {
    phase: 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False' },
    ],
    containerStatuses: [running('main', { ready: false, started: true })],
  };
  const update = { pod: pod(), status, id: containerId('main-0') };

  it('of readiness changes the container and both conditions', () => {
    expect(withReadiness(update, true)).toMatchObject({
      containerStatuses: [{ ready: true }],
      conditions: [
        { type: 'PodScheduled' },
        { type: 'Ready', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
      ],
    });
  });
  it('of startup changes the flag alone', () => {
    expect(withStarted(update, false)).toEqual({
      ...status,
      containerStatuses: [running('main', { ready: false, started: false })],
    });
  });
  it('without a difference changes nothing', () => {
    expect(withReadiness(update, false)).toBeUndefined();
    expect(withStarted(update, true)).toBeUndefined();
  });
  it('of a removed container changes nothing', () => {
    expect(withReadiness({ ...update, id: containerId('main-9') }, true)).toBeUndefined();
  });
});
