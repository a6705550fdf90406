import { describe, expect, it } from 'vitest';

import {
  ContainerState,
  ContainerStatus,
  NamespaceMode,
  PodSandboxState,
  PodSandboxStatus,
} from '../../../src/cri/gen/api.ts';
import { podUid, sandboxId } from '../../../src/kube/ids.ts';
import { runtimeContainer, runtimePodStatus, runtimeSandbox } from '../../../src/pod/status/runtime-status-from-cri.ts';
import { record, sandbox } from '../pods.ts';

const AT = 1_893_553_445_123_456_789n;

describe('a sandbox from the runtime', () => {
  it('is read with its addresses', () => {
    const status = PodSandboxStatus.fromPartial({
      id: 's',
      metadata: { attempt: 2 },
      state: PodSandboxState.SANDBOX_READY,
      createdAt: AT,
      network: { ip: '10.0.0.7', additionalIps: [{ ip: 'fd00::7' }] },
    });
    expect(runtimeSandbox(status)).toEqual({
      id: 's',
      attempt: 2,
      state: 'ready',
      createdAt: 1_893_553_445_123.456,
      ip: '10.0.0.7',
      additionalIps: ['fd00::7'],
      hostNetwork: false,
    });
  });
  it('is known to be on the host network', () => {
    const linux = { namespaces: { options: { network: NamespaceMode.NODE } } };
    const status = PodSandboxStatus.fromPartial({ linux, state: PodSandboxState.SANDBOX_NOTREADY });
    expect(runtimeSandbox(status)).toMatchObject({ hostNetwork: true, state: 'not-ready', ip: undefined });
  });
});

describe('any status of a container from the runtime', () => {
  const read = (parts: Parameters<typeof ContainerStatus.fromPartial>[0]) =>
    runtimeContainer(ContainerStatus.fromPartial(parts), undefined);
  const RESTARTS = 'io.kubernetes.container.restartCount';

  it.each(['-1', '1e300', 'NaN', '1.5', 'many', String(2 ** 31)])('a restart count of %s is the attempt', (text) => {
    expect(read({ metadata: { attempt: 3 }, annotations: { [RESTARTS]: text } }).restartCount).toBe(3);
  });

  it.each(['../../etc', 'a/b', '..', 'a\0b'])('a name of %j is ignored', (name) => {
    expect(read({ metadata: { name } }).name).toBe('');
  });

  it.each([2n ** 63n - 1n, -(2n ** 63n), 0n])('the moment %d can be written as a date', (at) => {
    const { createdAt, startedAt, finishedAt } = read({ createdAt: at, startedAt: at, finishedAt: at });
    for (const ms of [createdAt, startedAt, finishedAt]) expect(() => new Date(ms).toISOString()).not.toThrow();
  });

  it('its message is as long as a status may hold', () => {
    expect(read({ message: 'x'.repeat(1_000_000) }).message.length).toBeLessThan(13_000);
  });

  it('an unknown state is unknown, and missing metadata are zero', () => {
    expect(read({ id: 'c', state: 77 as ContainerState })).toMatchObject({ state: 'unknown', name: '', attempt: 0 });
  });
});

describe('a container from the runtime', () => {
  const status = (parts: Parameters<typeof ContainerStatus.fromPartial>[0]) =>
    runtimeContainer(ContainerStatus.fromPartial(parts), sandboxId('s'));
  it('is read with its annotations', () => {
    const annotations = { 'io.kubernetes.container.hash': 'abc', 'io.kubernetes.container.restartCount': '4' };
    expect(status({ id: 'c', metadata: { name: 'main', attempt: 4 }, annotations, startedAt: AT })).toMatchObject({
      id: 'c',
      name: 'main',
      sandboxId: 's',
      hash: 'abc',
      restartCount: 4,
      startedAt: 1_893_553_445_123.456,
      finishedAt: 0,
    });
  });
  it.each([
    [ContainerState.CONTAINER_CREATED, 'created'],
    [ContainerState.CONTAINER_RUNNING, 'running'],
    [ContainerState.CONTAINER_EXITED, 'exited'],
    [ContainerState.CONTAINER_UNKNOWN, 'unknown'],
    [17 as ContainerState, 'unknown'],
  ])('in state %i is %s', (state, expected) => {
    expect(status({ state }).state).toBe(expected);
  });
  it('is known by the name its user gave the image', () => {
    expect(status({ image: { image: 'sha256:1', userSpecifiedImage: 'app:1' } }).image).toBe('app:1');
    expect(status({ image: { image: 'app:1' } }).image).toBe('app:1');
  });
  it.each([undefined, 'many'])('with restart count %s falls back on its attempt', (count) => {
    const annotations: Record<string, string> =
      count === undefined ? {} : { 'io.kubernetes.container.restartCount': count };
    expect(status({ metadata: { attempt: 3 }, annotations }).restartCount).toBe(3);
  });
});

describe('a pod as observed', () => {
  const of = (parts: Partial<Parameters<typeof runtimePodStatus>[0]>) =>
    runtimePodStatus({ uid: podUid('u'), name: 'web', namespace: 'shop', sandboxes: [], containers: [], ...parts });

  it('lists the newest first, sandboxes by attempt', () => {
    const late = sandbox({ attempt: 0, createdAt: 9 });
    const { sandboxes, containers } = of({
      sandboxes: [late, sandbox({ attempt: 1, createdAt: 5 })],
      containers: [record('a', 'exited'), record('a', 'running', { attempt: 1 })],
    });
    expect(sandboxes.map(({ attempt }) => attempt)).toEqual([1, 0]);
    expect(containers.map(({ attempt }) => attempt)).toEqual([1, 0]);
  });

  it('orders a restart after the replaced container, even if the clock was set back in between', () => {
    const { containers } = of({
      containers: [
        record('a', 'exited', { attempt: 1, createdAt: 3_600_000 }),
        record('a', 'running', { attempt: 2, createdAt: 10_000 }),
      ],
    });
    expect(containers.map(({ attempt }) => attempt)).toEqual([2, 1]);
  });

  const dead = sandbox({ state: 'not-ready' });
  it.each([
    {
      rule: 'has the addresses of its ready sandbox',
      sandboxes: [sandbox({ additionalIps: ['fd00::7', ''] })],
      ips: ['10.0.0.7', 'fd00::7'],
    },
    { rule: 'keeps the earlier addresses while no sandbox is ready', sandboxes: [dead], ips: ['10.9.9.9'] },
    { rule: 'keeps them without any sandbox', sandboxes: [], ips: ['10.9.9.9'] },
    { rule: 'has none while the ready sandbox has none', sandboxes: [sandbox({ ip: '' })], ips: [] },
    { rule: 'has no pod address on the host network', sandboxes: [sandbox({ hostNetwork: true })], ips: [] },
  ])('$rule', ({ sandboxes, ips }) => {
    expect(of({ sandboxes, previousIps: ['10.9.9.9'] }).ips).toEqual(ips);
  });
});
