import { describe, expect, it } from 'vitest';

import type { ContainerStatus, PodPhase } from '../../../src/kube/pod.ts';
import { podPhase } from '../../../src/pod/status/phase.ts';
import type { PodParts } from '../pods.ts';
import { container, pod, sidecar } from '../pods.ts';
import { ended, running, terminated, waiting } from '../statuses.ts';

interface Case {
  readonly rule: string;
  readonly pod?: PodParts;
  readonly init?: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  readonly active?: boolean;
  readonly terminal?: boolean;
  readonly phase: PodPhase;
}

const withInit: PodParts = { initContainers: [container('i')] };
const withSidecar: PodParts = { initContainers: [sidecar('s')] };
const never: PodParts = { restartPolicy: 'Never' };
const onFailure: PodParts = { restartPolicy: 'OnFailure' };
const two: PodParts = { containers: [container('a'), container('b')] };
const staticPod: PodParts = { metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } };
const crashed = waiting('main', { lastState: ended(1) });

describe('a pod is', () => {
  it.each<Case>([
    {
      rule: 'Failed when an init container failed for good',
      pod: { ...withInit, ...never },
      init: [terminated('i', 1)],
      regular: [waiting('main')],
      phase: 'Failed',
    },
    {
      rule: 'Failed when that init container still shows as waiting',
      pod: { ...withInit, ...never },
      init: [waiting('i', { lastState: ended(1) })],
      regular: [waiting('main')],
      phase: 'Failed',
    },
    {
      rule: 'Pending while a failed init container will be retried',
      pod: withInit,
      init: [terminated('i', 1)],
      regular: [waiting('main')],
      phase: 'Pending',
    },
    {
      rule: 'Pending while an init container has no status',
      pod: withInit,
      init: [],
      regular: [waiting('main')],
      phase: 'Pending',
    },
    {
      rule: 'Pending while an init container runs, even if regular containers ran before',
      pod: withInit,
      init: [running('i')],
      regular: [crashed],
      phase: 'Pending',
    },
    {
      rule: 'Pending while a sidecar starts and the sandbox has no regular container',
      pod: withSidecar,
      init: [running('s')],
      regular: [crashed],
      phase: 'Pending',
    },
    {
      rule: 'Running when a sidecar starts again beside regular containers',
      pod: withSidecar,
      init: [running('s')],
      regular: [running('main')],
      active: true,
      phase: 'Running',
    },
    {
      rule: 'Pending while a sidecar has never run',
      pod: withSidecar,
      init: [waiting('s')],
      regular: [running('main')],
      active: true,
      phase: 'Pending',
    },
    {
      rule: 'Pending while a container has never run',
      pod: two,
      regular: [running('a'), waiting('b')],
      phase: 'Pending',
    },
    { rule: 'Pending while a container has no status', pod: two, regular: [running('a')], phase: 'Pending' },
    { rule: 'Pending with an unknown sidecar', pod: withSidecar, regular: [running('main')], phase: 'Pending' },
    {
      rule: 'Running when one container runs and the others have run',
      pod: { ...two, ...never },
      regular: [running('a'), terminated('b', 1)],
      phase: 'Running',
    },
    {
      rule: 'Running while a sidecar runs, though all regular containers ended',
      pod: { ...withSidecar, ...never },
      init: [running('s', { started: true })],
      regular: [terminated('main', 0)],
      active: true,
      phase: 'Running',
    },
    { rule: 'Running while a container waits to be restarted', regular: [crashed], phase: 'Running' },
    { rule: 'Running when an ended container will restart', regular: [terminated('main', 0)], phase: 'Running' },
    {
      rule: 'Running when a failed container will restart',
      pod: onFailure,
      regular: [terminated('main', 1)],
      phase: 'Running',
    },
    {
      rule: 'Running when all containers restart in place',
      pod: never,
      regular: [waiting('main', { lastState: ended(137, 'RestartingAllContainers') })],
      phase: 'Running',
    },
    { rule: 'Succeeded when all succeeded', pod: onFailure, regular: [terminated('main', 0)], phase: 'Succeeded' },
    {
      rule: 'Failed when one container failed for good',
      pod: { ...two, ...never },
      regular: [terminated('a', 0), terminated('b', 1)],
      phase: 'Failed',
    },
    {
      rule: 'Failed when a restart that succeeded once waits for good',
      pod: never,
      regular: [waiting('main', { lastState: ended(0) })],
      phase: 'Failed',
    },
    {
      rule: 'Succeeded at its end, whatever the policy',
      regular: [terminated('main', 0)],
      terminal: true,
      phase: 'Succeeded',
    },
    {
      rule: 'Failed at its end when something failed',
      regular: [terminated('main', 143)],
      terminal: true,
      phase: 'Failed',
    },
    {
      rule: 'Running at its end when it is static and may come back',
      pod: staticPod,
      regular: [terminated('main', 0)],
      terminal: true,
      phase: 'Running',
    },
    {
      rule: 'not held up by a sidecar that ended',
      pod: { ...withSidecar, ...never },
      init: [terminated('s', 1)],
      regular: [terminated('main', 0)],
      phase: 'Succeeded',
    },
  ])('$rule', ({ pod: parts, init = [], regular, active = false, terminal = false, phase }) => {
    expect(
      podPhase({
        pod: pod(parts),
        initStatuses: init,
        statuses: regular,
        regularContainerInActiveSandbox: active,
        podIsTerminal: terminal,
      }),
    ).toBe(phase);
  });
});
