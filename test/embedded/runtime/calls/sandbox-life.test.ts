import { describe, expect, it } from 'vitest';
import { ContainerFilter, ContainerState, PodSandboxFilter, PodSandboxState } from '../../../../src/cri/gen/api.ts';
import { podConfig, simulate, stateOf } from '../simulate.ts';

const { SANDBOX_READY: READY, SANDBOX_NOTREADY: NOTREADY } = PodSandboxState;
const run = (name: string): { config: ReturnType<typeof podConfig>; runtimeHandler: string } => ({
  config: podConfig(name),
  runtimeHandler: '',
});

describe('a scripted sandbox', () => {
  it('fails and succeeds in the order of its list, per pod UID, and frees its name after a failure', async () => {
    const runtime = simulate({ pods: { web: { sandbox: ['err:cni not ready', 'err:cni not ready', 'ok'] } } });
    const failure = { code: 'Unknown', message: 'cni not ready' };
    await expect(runtime.runPod('web')).rejects.toMatchObject(failure);
    await expect(runtime.runPod('web')).rejects.toMatchObject(failure);
    await expect(runtime.runPod('web')).resolves.toMatch(/^[0-9a-f]{64}$/);
    await expect(runtime.runPod('web', { uid: 'another' })).rejects.toMatchObject(failure);
  });

  it('takes the scripted time to start, unlisted but with its name reserved', async () => {
    const runtime = simulate({}, { latencies: { sandboxMs: 10 } });
    const first = runtime.core.runPodSandbox(run('web'));
    await runtime.clock.advanceAndSettle(9);
    expect(await stateOf(first)).toBe('pending');
    expect(runtime.core.listPodSandbox({ filter: undefined }).items).toEqual([]);
    await expect(runtime.core.runPodSandbox(run('web'))).rejects.toMatchObject({ code: 'AlreadyExists' });
    await runtime.clock.advanceAndSettle(1);
    await expect(first).resolves.toEqual({ podSandboxId: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  });

  it('names the sandbox that holds its name', async () => {
    const runtime = simulate();
    const id = await runtime.runPod('web');
    await expect(runtime.runPod('web')).rejects.toThrow(`name "web_default_uid-of-web_0" is reserved for "${id}"`);
  });

  it('dies at the scripted time, and its containers keep running', async () => {
    const runtime = simulate({ pods: { web: { sandbox: [{ do: 'ok', die: '3s' }] } } });
    const pod = await runtime.runPod('web');
    const container = await runtime.start(pod, 'main');
    runtime.clock.advance(2999);
    expect(runtime.sandboxStatus(pod).state).toBe(READY);
    runtime.clock.advance(1);
    expect(runtime.sandboxStatus(pod).state).toBe(NOTREADY);
    expect(runtime.status(container).state).toBe(ContainerState.CONTAINER_RUNNING);
  });

  it('rejects containers when it is not ready, or dies while the container is created', async () => {
    const runtime = simulate({}, { latencies: { sandboxMs: 0, createMs: 10 } });
    const podSandboxId = await runtime.runPod('web');
    const making = runtime.create(podSandboxId, 'main');
    runtime.core.stopPodSandbox({ podSandboxId });
    runtime.clock.advance(10);
    await expect(making).rejects.toMatchObject({ code: 'NotFound' });
    await expect(runtime.create(podSandboxId, 'main')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('knows its runtime handlers', async () => {
    const runtime = simulate();
    const exotic = runtime.core.runPodSandbox({ config: podConfig('web'), runtimeHandler: 'exotic' });
    await expect(exotic).rejects.toThrow('no runtime for handler exotic');
  });
});

describe('the address of a sandbox', () => {
  it('is unique, in 10.88.0.0/16, and reused once the sandbox is stopped', async () => {
    const runtime = simulate();
    const pods = [await runtime.runPod('a'), await runtime.runPod('b')];
    const ips = pods.map((pod) => runtime.sandboxStatus(pod).network?.ip);
    expect(ips).toEqual(['10.88.0.2', '10.88.0.3']);
    runtime.core.stopPodSandbox({ podSandboxId: pods[0] ?? '' });
    expect(runtime.sandboxStatus(pods[0] ?? '').network?.ip).toBe('');
  });

  it('is empty on the host network', async () => {
    const runtime = simulate();
    expect(runtime.sandboxStatus(await runtime.runPod('a', { network: 'host' })).network?.ip).toBe('');
  });
});

describe('lists', () => {
  it('have the same encoded bytes as their messages, after any history', async () => {
    const runtime = simulate({ pods: { b: { containers: { main: { run: '1@1s' } } } } });
    const listings = (): unknown => ({
      containers: runtime.core.listContainersEncoded({ filter: undefined }).toString('hex'),
      sandboxes: runtime.core.listPodSandboxEncoded({ filter: undefined }).toString('hex'),
    });
    const a = await runtime.runPod('a');
    const b = await runtime.runPod('b');
    const first = await runtime.start(a, 'main');
    const seen = [listings(), listings()];
    expect(seen[0]).toEqual(seen[1]);
    await runtime.start(b, 'main');
    seen.push(listings());
    runtime.clock.advance(1000);
    seen.push(listings());
    runtime.core.removeContainer({ containerId: first });
    seen.push(listings());
    runtime.core.removePodSandbox({ podSandboxId: b });
    seen.push(listings());
    expect(new Set(seen.map((listing) => JSON.stringify(listing))).size).toBe(seen.length - 1);
    expect(runtime.core.listPodSandbox({ filter: undefined }).items.map(({ id }) => id)).toEqual([a]);
    expect(runtime.core.listContainers({ filter: undefined }).containers).toEqual([]);
  });

  it('by pod UID hold only the sandboxes and containers with that label', async () => {
    const runtime = simulate();
    const pod = await runtime.runPod('a');
    await runtime.runPod('b');
    const labels = { 'io.kubernetes.pod.uid': 'uid-of-a' };
    const mine = await runtime.create(pod, 'main', { config: { labels } });
    await runtime.create(pod, 'other', { config: { labels: {} } });
    const sandboxes = runtime.core.listPodSandbox({ filter: PodSandboxFilter.create({ labelSelector: labels }) }).items;
    const filter = ContainerFilter.create({ labelSelector: labels });
    expect(sandboxes.map(({ id }) => id)).toEqual([pod]);
    expect(runtime.core.listContainers({ filter }).containers.map(({ id }) => id)).toEqual([mine]);
  });
});

describe('without a call of the kubelet', () => {
  it('a container exits with any code', async () => {
    const runtime = simulate();
    const id = await runtime.start(await runtime.runPod('web'), 'main');
    runtime.core.control.exit({ pod: 'web', container: 'main' }, 3);
    expect(runtime.status(id)).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 3, reason: 'Error' });
    expect(() => runtime.core.control.exit({ pod: 'web', container: 'main' }, 3)).toThrow('not found');
  });

  it('a container vanishes, and pending stop calls end', async () => {
    const runtime = simulate({ pods: { web: { containers: { main: { stop: 'ignore' } } } } });
    const containerId = await runtime.start(await runtime.runPod('web'), 'main');
    const stopping = runtime.core.stopContainer({ containerId, timeout: 30n });
    runtime.core.control.vanish({ pod: 'web', container: 'main' });
    await expect(stopping).resolves.toEqual({});
    expect(() => runtime.status(containerId)).toThrow(containerId);
  });

  it('a sandbox dies', async () => {
    const runtime = simulate();
    const pod = await runtime.runPod('web');
    runtime.core.control.sandboxDie({ pod: 'web' });
    expect(runtime.sandboxStatus(pod)).toMatchObject({ state: NOTREADY });
    expect(() => runtime.core.control.sandboxDie({ pod: 'web' })).toThrow('not found');
  });

  it('a sandbox vanishes with its containers, and leaves its names free', async () => {
    const runtime = simulate();
    await runtime.start(await runtime.runPod('web'), 'main');
    runtime.core.control.sandboxVanish({ pod: 'web', namespace: 'default' });
    expect(runtime.core.listPodSandbox({ filter: undefined }).items).toEqual([]);
    expect(runtime.core.listContainers({ filter: undefined }).containers).toEqual([]);
    await expect(runtime.start(await runtime.runPod('web'), 'main')).resolves.toMatch(/^[0-9a-f]{64}$/);
  });

  it('a command applies to the newest sandbox of a pod, of the given UID if there is a UID', async () => {
    const runtime = simulate();
    const old = await runtime.runPod('web', { uid: 'old' });
    const young = await runtime.runPod('web', { uid: 'young' });
    runtime.core.control.sandboxDie({ pod: 'web', uid: 'old' });
    expect([runtime.sandboxStatus(old).state, runtime.sandboxStatus(young).state]).toEqual([NOTREADY, READY]);
  });
});
