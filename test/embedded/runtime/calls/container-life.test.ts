import { describe, expect, it } from 'vitest';
import { ContainerState } from '../../../../src/cri/gen/api.ts';
import { NOW, simulate, stateOf } from '../simulate.ts';

const { CONTAINER_RUNNING: RUNNING, CONTAINER_EXITED: EXITED } = ContainerState;
const ms = (time: number): bigint => BigInt(time) * 1_000_000n;
const main = (member: object): object => ({ pods: { web: { containers: { main: member } } } });

describe('a scripted container', () => {
  it.each([
    { run: '0@1s', exitCode: 0, reason: 'Completed' },
    { run: '3@1s', exitCode: 3, reason: 'Error' },
    { run: { do: '137@1s', reason: 'OOMKilled' }, exitCode: 137, reason: 'OOMKilled' },
  ])(
    'with $run exits by itself, at the scripted time, with $exitCode and $reason',
    async ({ run, exitCode, reason }) => {
      const runtime = simulate(main({ run }));
      const id = await runtime.start(await runtime.runPod('web'), 'main');
      runtime.clock.advance(999);
      expect(runtime.status(id).state).toBe(RUNNING);
      runtime.clock.advance(1);
      expect(runtime.status(id)).toMatchObject({ state: EXITED, exitCode, reason, finishedAt: ms(NOW + 1000) });
    },
  );

  it('runs by the next item of its list at each restart, and by the last item from then on', async () => {
    const runtime = simulate(main({ run: ['1@1ms', '2@1ms', 'run'] }));
    const pod = await runtime.runPod('web');
    const codes: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const id = await runtime.start(pod, 'main', { attempt });
      runtime.clock.advance(1);
      codes.push(runtime.status(id).state === EXITED ? runtime.status(id).exitCode : -1);
    }
    expect(codes).toEqual([1, 2, -1, -1]);
  });

  it('starts its lists again for another pod of the same name', async () => {
    const runtime = simulate(main({ run: ['1@1ms', 'run'] }));
    for (const uid of ['one', 'two']) {
      const id = await runtime.start(await runtime.runPod('web', { uid }), 'main');
      runtime.clock.advance(1);
      expect(runtime.status(id)).toMatchObject({ state: EXITED, exitCode: 1 });
    }
  });

  it('whose creation fails is absent, and its name is free', async () => {
    const runtime = simulate(main({ create: ['err:device busy', 'ok'] }));
    const pod = await runtime.runPod('web');
    await expect(runtime.create(pod, 'main')).rejects.toMatchObject({ code: 'Unknown', message: 'device busy' });
    expect(runtime.core.listContainers({ filter: undefined }).containers).toEqual([]);
    await expect(runtime.create(pod, 'main')).resolves.toMatch(/^[0-9a-f]{64}$/);
  });

  it('whose start fails has exited with StartError, without ever having started', async () => {
    const runtime = simulate(main({ start: 'err:exec format error' }));
    const containerId = await runtime.create(await runtime.runPod('web'), 'main');
    await expect(runtime.core.startContainer({ containerId })).rejects.toMatchObject({ message: 'exec format error' });
    expect(runtime.status(containerId)).toMatchObject({
      state: EXITED,
      exitCode: 128,
      reason: 'StartError',
      startedAt: 0n,
      finishedAt: ms(NOW + 0) + 2n,
    });
  });

  it('whose start fails may stay created, and start later', async () => {
    const runtime = simulate(main({ start: [{ do: 'err:not now', leaves: 'created' }, 'ok'] }));
    const containerId = await runtime.create(await runtime.runPod('web'), 'main');
    await expect(runtime.core.startContainer({ containerId })).rejects.toMatchObject({ message: 'not now' });
    expect(runtime.status(containerId)).toMatchObject({ state: ContainerState.CONTAINER_CREATED });
    await expect(runtime.core.startContainer({ containerId })).resolves.toEqual({});
  });

  it('does not start in a sandbox that stops during the start', async () => {
    const runtime = simulate(main({ start: 'ok@5s' }));
    const podSandboxId = await runtime.runPod('web');
    const containerId = await runtime.create(podSandboxId, 'main');
    const starting = runtime.core.startContainer({ containerId });
    runtime.core.stopPodSandbox({ podSandboxId });
    runtime.clock.advance(5000);
    await expect(starting).rejects.toThrow('is not running');
    expect(runtime.status(containerId).state).toBe(EXITED);
  });

  it('is not started again while it is being started', async () => {
    const runtime = simulate(main({ start: 'ok@5s' }));
    const containerId = await runtime.create(await runtime.runPod('web'), 'main');
    const starting = runtime.core.startContainer({ containerId });
    await expect(runtime.core.startContainer({ containerId })).rejects.toThrow('being started');
    runtime.clock.advance(5000);
    await starting;
    expect(runtime.status(containerId).state).toBe(RUNNING);
  });
});

describe('stopping a container', () => {
  async function running(stop: unknown): Promise<ReturnType<typeof simulate> & { id: string }> {
    const runtime = simulate(main({ stop }));
    const id = await runtime.start(await runtime.runPod('web'), 'main');
    return { ...runtime, id };
  }
  const stopping = (runtime: Awaited<ReturnType<typeof running>>, seconds: number): Promise<unknown> =>
    runtime.core.stopContainer({ containerId: runtime.id, timeout: BigInt(seconds) });

  it.each([
    { rule: 'lets the container exit by itself', stop: '0@1s', seconds: 10, tookMs: 1000, exitCode: 0 },
    {
      rule: 'kills the container when the grace period is over',
      stop: 'ignore',
      seconds: 3,
      tookMs: 3000,
      exitCode: 137,
    },
    { rule: 'kills a container that exits too slowly', stop: '0@5s', seconds: 3, tookMs: 3000, exitCode: 137 },
    { rule: 'kills the container at once without a grace period', stop: '0@1s', seconds: 0, tookMs: 0, exitCode: 137 },
  ])('$rule', async ({ stop, seconds, tookMs, exitCode }) => {
    const runtime = await running(stop);
    const stopped = stopping(runtime, seconds);
    await runtime.clock.advanceAndSettle(60_000);
    await stopped;
    const finishedAt = expect.toSatisfy((at: bigint) => at / 1_000_000n === BigInt(NOW + tookMs)) as bigint;
    expect(runtime.status(runtime.id)).toMatchObject({ state: EXITED, exitCode, finishedAt });
  });

  it('sends TERM once, however many calls arrive', async () => {
    const runtime = await running(['9@4s', '1@1s']);
    const both = Promise.all([stopping(runtime, 60), stopping(runtime, 60)]);
    await runtime.clock.advanceAndSettle(4000);
    await both;
    expect(runtime.status(runtime.id).exitCode).toBe(9);
  });

  it('that fails leaves TERM unsent, and the next call sends TERM', async () => {
    const runtime = await running(['err:shim busy', '7@1s']);
    await expect(stopping(runtime, 60)).rejects.toMatchObject({ message: 'shim busy' });
    await runtime.clock.advanceAndSettle(60_000);
    expect(runtime.status(runtime.id).state).toBe(RUNNING);
    const stopped = stopping(runtime, 60);
    await runtime.clock.advanceAndSettle(1000);
    await stopped;
    expect(runtime.status(runtime.id).exitCode).toBe(7);
  });

  it('by a call with a shorter grace period ends the longer call as well', async () => {
    const runtime = await running('ignore');
    const long = stopping(runtime, 30);
    const short = stopping(runtime, 2);
    await runtime.clock.advanceAndSettle(2000);
    expect([await stateOf(short), await stateOf(long)]).toEqual(['done', 'done']);
  });

  it('for a caller that goes away ends that call only, and kills nothing', async () => {
    const runtime = await running('ignore');
    let leave = (): void => {};
    const caller = { whenGone: (left: () => void) => void (leave = left) };
    const request = { containerId: runtime.id, timeout: 5n };
    const left = runtime.core.stopContainer(request, caller);
    await runtime.clock.advanceAndSettle(1000);
    leave();
    await expect(left).rejects.toMatchObject({ code: 'Cancelled' });
    await runtime.clock.advanceAndSettle(60_000);
    expect(runtime.status(runtime.id).state).toBe(RUNNING);
    const next = stopping(runtime, 5);
    await runtime.clock.advanceAndSettle(5000);
    await next;
    expect(runtime.status(runtime.id).exitCode).toBe(137);
  });

  it('leaves no timer behind', async () => {
    const runtime = await running('0@1s');
    const stopped = stopping(runtime, 60);
    await runtime.clock.advanceAndSettle(1000);
    await stopped;
    expect(runtime.clock.armed).toBe(0);
  });
});

describe('a scripted container writes', () => {
  const messagePath = {
    annotations: { 'io.kubernetes.container.terminationMessagePath': '/dev/why' },
    mounts: [{ containerPath: '/dev/why', hostPath: '/host/why' }],
  };

  it('its termination message to the host path of the mount that its annotation names', async () => {
    const runtime = simulate(main({ run: '1@1s:from the file' }));
    await runtime.start(await runtime.runPod('web'), 'main', { config: messagePath });
    expect(runtime.files.has('/host/why')).toBe(false);
    runtime.clock.advance(1000);
    expect(runtime.files.get('/host/why')).toBe('from the file');
  });

  it.each([
    { when: 'at its exit', run: { do: '1@1s', log: 'first\nlast words' } },
    { when: 'at its start, if the container keeps running', run: { do: 'run', log: 'first\nlast words' } },
  ])('its log lines $when', async ({ run }) => {
    const runtime = simulate(main({ run }));
    await runtime.start(await runtime.runPod('web', { logDirectory: '/logs/web/' }), 'main');
    const atStart = runtime.files.get('/logs/web/main/0.log');
    expect(atStart).toMatch(run.do === 'run' ? /words\n$/ : /^$/);
    runtime.clock.advance(1000);
    const line = (text: string): string => `2026-01-01T00:00:0\\d\\.\\d{9}Z stdout F ${text}\n`;
    expect(runtime.files.get('/logs/web/main/0.log')).toMatch(new RegExp(`^${line('first')}${line('last words')}$`));
  });

  it('nothing if its sandbox has no log directory, or an invalid one', async () => {
    const runtime = simulate(main({ run: { do: 'run', log: 'words' } }));
    await runtime.start(await runtime.runPod('web', { logDirectory: 'relative' }), 'main');
    expect([...runtime.files]).toEqual([]);
  });

  it('nothing if the script turns files off', async () => {
    const runtime = simulate({ logs: 'off', ...main({ run: { do: '1@1s:why', log: 'words' } }) });
    await runtime.start(await runtime.runPod('web', { logDirectory: '/logs' }), 'main', { config: messagePath });
    runtime.clock.advance(1000);
    expect([...runtime.files]).toEqual([]);
  });

  it('to a new log file after ReopenContainerLog', async () => {
    const runtime = simulate();
    const containerId = await runtime.start(await runtime.runPod('web', { logDirectory: '/logs' }), 'main');
    (runtime.files as Map<string, string>).clear();
    runtime.core.reopenContainerLog({ containerId });
    expect([...runtime.files.keys()]).toEqual(['/logs/main/0.log']);
  });
});

describe('the resources of a container', () => {
  it('are those it was created with, changed by the non-zero members of each update', async () => {
    const runtime = simulate(main({ update: ['ok', 'err:cgroup busy'] }));
    const config = { linux: { resources: { cpuShares: 100n, memoryLimitInBytes: 5n, cpusetCpus: '0' } } };
    const containerId = await runtime.start(await runtime.runPod('web'), 'main', { config });
    const update = async (resources: object): Promise<unknown> => {
      const linux = { ...runtime.status(containerId).resources?.linux, ...NOTHING, ...resources } as never;
      return runtime.core.updateContainerResources({ containerId, linux, windows: undefined, annotations: {} });
    };
    await update({ cpuShares: 200n, cpuQuota: 7n });
    const updated = { cpuShares: 200n, cpuQuota: 7n, memoryLimitInBytes: 5n, cpusetCpus: '0' };
    expect(runtime.status(containerId).resources?.linux).toMatchObject(updated);
    await expect(update({ cpuShares: 300n })).rejects.toMatchObject({ message: 'cgroup busy' });
    expect(runtime.status(containerId).resources?.linux).toMatchObject(updated);
  });
});

const NOTHING = { cpuShares: 0n, cpuQuota: 0n, memoryLimitInBytes: 0n, cpusetCpus: '' };
