import { describe, expect, it } from 'vitest';

import type { PodStatus } from '../../../src/kube/pod.ts';
import type { ApiStatusInput } from '../../../src/pod/status/api-status.ts';
import { activeDeadline, apiPodStatus } from '../../../src/pod/status/api-status.ts';
import type { PodParts, RuntimeParts } from '../pods.ts';
import { NOW, container, exited, pod, record, runtime, sandbox, sidecar, verdicts } from '../pods.ts';
import { running } from '../statuses.ts';

interface Given extends Partial<Omit<ApiStatusInput, 'pod' | 'runtime'>> {
  readonly pod?: PodParts;
  readonly held?: RuntimeParts;
}

const statusOf = ({ pod: parts, held, ...more }: Given): PodStatus =>
  apiPodStatus({
    pod: pod(parts),
    runtime: runtime(held),
    runtimeName: 'containerd',
    hostIps: ['192.0.2.1'],
    now: NOW,
    ...more,
  });

const up: RuntimeParts = { containers: [record('main')] };
const startedAt = (msAgo: number) => new Date(NOW - msAgo).toISOString();

describe('the phase of a pod', () => {
  it.each<Given & { rule: string; shows: Partial<PodStatus> }>([
    {
      rule: 'stays terminal even if the runtime shows running containers',
      held: up,
      previous: { phase: 'Succeeded' },
      shows: { phase: 'Succeeded' },
    },
    {
      rule: 'stays terminal when the API has a terminal phase',
      held: up,
      pod: { status: { phase: 'Failed', reason: 'Evicted', message: 'too full' } },
      previous: { phase: 'Running' },
      shows: { phase: 'Failed', reason: 'Evicted', message: 'too full' },
    },
    {
      rule: 'stays failed with its reason',
      held: up,
      previous: { phase: 'Failed', reason: 'Evicted', message: 'too full' },
      shows: { phase: 'Failed', reason: 'Evicted', message: 'too full' },
    },
    {
      rule: 'keeps reason and message while it is the same',
      held: up,
      previous: { phase: 'Running', reason: 'Odd' },
      pod: { status: { message: 'but true' } },
      shows: { phase: 'Running', reason: 'Odd', message: 'but true' },
    },
    {
      rule: 'drops them when it changes',
      held: up,
      previous: { phase: 'Pending', reason: 'Odd' },
      shows: { phase: 'Running' },
    },
    {
      rule: 'is Failed once the deadline has passed',
      held: up,
      pod: { activeDeadlineSeconds: 60 },
      previous: { phase: 'Running', startTime: startedAt(60_000) },
      shows: {
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      },
    },
    {
      rule: 'is not Failed before the deadline',
      held: up,
      pod: { activeDeadlineSeconds: 60 },
      previous: { phase: 'Running', startTime: startedAt(59_000) },
      shows: { phase: 'Running' },
    },
    {
      rule: 'is set at the end of the pod',
      held: { containers: [exited('main', 143)] },
      podIsTerminal: true,
      shows: { phase: 'Failed' },
    },
  ])('$rule', ({ shows, ...given }) => {
    const { phase, reason, message } = statusOf(given);
    expect({ phase, reason, message }).toEqual({ reason: undefined, message: undefined, ...shows });
  });

  it('has no deadline before the pod was accepted', () => {
    expect(activeDeadline(pod({ activeDeadlineSeconds: 5 }), {})).toBeUndefined();
    expect(activeDeadline(pod({ activeDeadlineSeconds: 5 }), { startTime: startedAt(0) })).toBe(NOW + 5000);
  });
});

describe('started and ready', () => {
  const probed = { containers: [container('main', { startupProbe: {}, readinessProbe: {} })] };
  const before = (flags: { started: boolean; ready: boolean }): PodStatus => ({
    containerStatuses: [running('main', flags)],
  });
  it.each<Given & { rule: string; flags: readonly [started: boolean, ready: boolean] }>([
    { rule: 'are true of a running container without probes', held: up, flags: [true, true] },
    {
      rule: 'are false for a container that does not run',
      held: { containers: [exited('main', 0)] },
      flags: [false, false],
    },
    { rule: 'wait for the startup probe', pod: probed, held: up, flags: [false, false] },
    {
      rule: 'are false after a failed startup probe',
      pod: probed,
      held: up,
      probes: verdicts({ startup: { 'main-0': 'failure' }, readiness: { 'main-0': 'success' } }),
      flags: [false, false],
    },
    {
      rule: 'then wait for the readiness probe',
      pod: probed,
      held: up,
      probes: verdicts({ startup: { 'main-0': 'success' } }),
      flags: [true, false],
    },
    {
      rule: 'are true when both succeeded',
      pod: probed,
      held: up,
      probes: verdicts({ startup: { 'main-0': 'success' }, readiness: { 'main-0': 'success' } }),
      flags: [true, true],
    },
    {
      rule: 'survive a restart of the agent until a probe reports',
      pod: probed,
      held: up,
      previous: before({ started: true, ready: true }),
      flags: [true, true],
    },
    {
      rule: 'are never promoted by a restart of the agent',
      pod: probed,
      held: up,
      previous: before({ started: true, ready: false }),
      flags: [true, false],
    },
    {
      rule: 'do not pass to the next container',
      pod: probed,
      held: { containers: [record('main', 'running', { attempt: 1 })] },
      previous: before({ started: true, ready: true }),
      flags: [false, false],
    },
  ])('$rule', ({ flags, ...given }) => {
    const [status] = statusOf(given).containerStatuses ?? [];
    expect([status?.started, status?.ready]).toEqual(flags);
  });

  it('make an init container ready when it succeeded, a sidecar when it is ready', () => {
    const given = { initContainers: [container('i'), sidecar('s'), container('j')] };
    const held = { containers: [exited('i', 0), record('s'), record('j')] };
    const flags = statusOf({ pod: given, held }).initContainerStatuses?.map(({ started, ready }) => [started, ready]);
    expect(flags).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
  });

  it('are not set on ephemeral containers', () => {
    const given = { ephemeralContainers: [container('dbg')] };
    const [status] = statusOf({ pod: given, held: { containers: [record('dbg')] } }).ephemeralContainerStatuses ?? [];
    expect(status).toMatchObject({ ready: false });
    expect(status).not.toHaveProperty('started');
  });
});

describe('the addresses of a pod', () => {
  const withIps = (ip: string, ...additionalIps: string[]): RuntimeParts => ({
    sandboxes: [sandbox({ ip, additionalIps })],
  });
  const hostSandbox: RuntimeParts = { sandboxes: [sandbox({ hostNetwork: true })] };
  it.each<Given & { rule: string; ips: readonly string[] }>([
    { rule: 'are those of its sandbox', held: withIps('10.0.0.7'), ips: ['10.0.0.7'] },
    { rule: "begin with the node's family", held: withIps('fd00::7', '10.0.0.7'), ips: ['10.0.0.7', 'fd00::7'] },
    {
      rule: 'has one address of each family',
      held: withIps('10.0.0.7', '10.0.0.8', 'fd00::7', 'fd00::8'),
      ips: ['10.0.0.7', 'fd00::7'],
    },
    {
      rule: "are the node's on the host network",
      pod: { hostNetwork: true },
      held: hostSandbox,
      hostIps: ['192.0.2.1', '2001:db8::1'],
      ips: ['192.0.2.1', '2001:db8::1'],
    },
    {
      rule: 'stay on the host network, and gain the second family',
      pod: { hostNetwork: true },
      held: hostSandbox,
      previous: { podIPs: [{ ip: '192.0.2.9' }] },
      hostIps: ['192.0.2.1', '2001:db8::1'],
      ips: ['192.0.2.9', '2001:db8::1'],
    },
    {
      rule: 'are forgotten with the sandbox',
      held: { sandboxes: [] },
      previous: { phase: 'Running', podIPs: [{ ip: '10.0.0.7' }] },
      ips: [],
    },
    {
      rule: 'are kept by a finished pod',
      held: { sandboxes: [] },
      previous: { phase: 'Succeeded', podIPs: [{ ip: '10.0.0.7' }] },
      ips: ['10.0.0.7'],
    },
  ])('$rule', ({ ips, ...given }) => {
    const status = statusOf(given);
    expect(status.podIPs ?? []).toEqual(ips.map((ip) => ({ ip })));
    expect(status.podIP).toBe(ips[0]);
    expect(status.hostIP).toBe('192.0.2.1');
  });
});

describe('the restart of all containers in place', () => {
  const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } }] as const;
  const given = {
    restartPolicy: 'Never',
    initContainers: [container('init')],
    containers: [container('trigger', { restartPolicy: 'Never', restartPolicyRules }), container('other')],
  } as const;
  const says = (status: PodStatus) => ({
    phase: status.phase,
    restarting: status.conditions?.find(({ type }) => type === 'AllContainersRestarting')?.status,
    initialised: status.conditions?.find(({ type }) => type === 'Initialized')?.status,
    states: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
      ({ name, state, restartCount }) => [name, Object.keys(state ?? {})[0], state?.waiting?.reason, restartCount],
    ),
  });

  it('shows removed containers, and keeps the pod initialized and running', () => {
    const before = statusOf({
      pod: given,
      held: { containers: [exited('init', 0), exited('trigger', 88), record('other')] },
      previous: { phase: 'Running' },
    });
    expect(says(before)).toMatchObject({ phase: 'Running', restarting: 'True', initialised: 'True' });

    const removed = statusOf({ pod: given, held: {}, previous: before });
    const reason = 'RestartingAllContainers';
    expect(says(removed)).toEqual({
      phase: 'Running',
      restarting: 'False',
      initialised: 'True',
      states: [
        ['init', 'waiting', reason, 1],
        ['other', 'waiting', reason, 1],
        ['trigger', 'waiting', reason, 1],
      ],
    });

    const again = statusOf({
      pod: given,
      held: { containers: [record('init', 'running', { attempt: 1 })] },
      previous: removed,
    });
    expect(says(again)).toMatchObject({ phase: 'Pending', restarting: 'False' });
    expect(again.containerStatuses?.[0]).toMatchObject({
      state: { waiting: { reason: 'PodInitializing' } },
      lastState: { terminated: { reason, exitCode: 137 } },
    });
  });
});

it('a sidecar that runs first leaves the pod pending', () => {
  const status = statusOf({ pod: { initContainers: [sidecar('s')] }, held: { containers: [record('s')] } });
  expect(status).toMatchObject({ phase: 'Pending', initContainerStatuses: [{ started: true, ready: true }] });
});

it('a status has QoS class and generation', () => {
  expect(statusOf({ pod: { metadata: { generation: 4 } } })).toMatchObject({
    qosClass: 'BestEffort',
    observedGeneration: 4,
  });
});

describe('a running container', () => {
  const held = (state: 'ready' | 'not-ready'): RuntimeParts => ({
    sandboxes: [sandbox({ state })],
    containers: [record('main')],
  });

  it.each([
    { state: 'ready' as const, ready: true },
    { state: 'not-ready' as const, ready: false },
  ])('in a sandbox in state $state is ready: $ready', ({ state, ready }) => {
    expect(statusOf({ held: held(state) }).containerStatuses).toMatchObject([{ started: true, ready }]);
  });
});
