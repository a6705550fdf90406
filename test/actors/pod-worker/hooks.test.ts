import { describe, expect, it } from 'vitest';
import { act } from '../../../actors/pod-worker/act/act.ts';
import { stopEverything } from '../../../actors/pod-worker/act/stop-pod.ts';
import type { PodWorkerState } from '../../../actors/pod-worker/worker-state.ts';
import { ExecSyncResponse } from '../../../src/cri/gen/api.ts';
import { wipeStaleHookNote } from '../../../actors/pod-worker/act/post-start.ts';
import { initialState } from '../../../actors/pod-worker/state.ts';
import { containerId, podUid } from '../../../src/kube/ids.ts';
import type { Container } from '../../../src/kube/pod.ts';
import { container, pod, record, runtime, sandbox, sidecar, type PodParts } from '../../pod/pods.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { servingHttp } from '../../probing/loopback.ts';
import { actions, fakeTools } from './effects-support.ts';

const answer = (exitCode: number, stdout = '', stderr = '') => ({
  ok: true as const,
  value: ExecSyncResponse.fromPartial({ exitCode, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) }),
});
const never = new Promise<never>(() => {});
const hook = { exec: { command: ['hook', 'now'] } };
const UNFINISHED = '/var/lib/kubelet/pods/uid-1/unfinished-hook';

function starting(cri: FakeCriClient, lifecycle: NonNullable<Container['lifecycle']>) {
  const fakes = fakeTools(cri);
  const one = pod({ containers: [container('main', { lifecycle }), container('second')] });
  const progress: unknown[] = [];
  const wanted = { createSandbox: true, sandboxId: undefined, containersToStart: [0, 1] };
  const decided = { actions: actions(wanted), runtime: runtime({ sandboxes: [] }) };
  const attempt = fakes.attempt(one, decided, (seen) => {
    progress.push(seen);
  });
  return { ...fakes, attempt, progress, done: act(attempt) };
}

describe('a postStart hook', () => {
  it('runs before the next container starts, without a time limit', async () => {
    const cri = new FakeCriClient();
    const { done } = starting(cri, { postStart: hook });
    const result = await done;
    const from = cri.methods.indexOf('StartContainer');
    expect(cri.methods.slice(from, from + 3)).toEqual(['StartContainer', 'ExecSync', 'ImageStatus']);
    expect(cri.of('ExecSync')[0]).toMatchObject({
      request: { containerId: 'new-container-1', cmd: ['hook', 'now'], timeout: 0n },
      options: { podUid: 'uid-1', lane: 'hook' },
    });
    expect([...result.failures]).toEqual([]);
  });

  it.each([
    { rule: 'leaves its container reported as running when it takes long', sleepMs: 250, looks: 2 },
    { rule: 'costs no look of its own when it is short', sleepMs: 249, looks: 1 },
  ])('$rule', async ({ sleepMs, looks: expected }) => {
    const cri = new FakeCriClient({ ExecSync: () => never });
    const { looks, progress, clock } = starting(cri, { postStart: hook });
    await clock.advanceAndSettle(sleepMs);
    expect(cri.methods.at(-1)).toBe('ExecSync');
    expect(progress).toHaveLength(expected);
    if (expected === 1) return;
    expect(looks.at(-1)).toEqual({ sandboxes: [], containers: [['new-container-1', 'new-sandbox-1']] });
  });

  it.each<{
    rule: string;
    cri: ConstructorParameters<typeof FakeCriClient>[0];
    cancels: boolean;
    left: string | undefined;
  }>([
    { rule: 'that returned is over', cri: {}, cancels: false, left: undefined },
    { rule: 'that failed is over', cri: { ExecSync: () => answer(5) }, cancels: false, left: undefined },
    {
      rule: 'that is abandoned with its pod has not returned',
      cri: { ExecSync: () => never },
      cancels: true,
      left: 'new-container-1',
    },
    {
      rule: 'is still to run when it is not known whether its container was started',
      cri: { StartContainer: () => 'DEADLINE_EXCEEDED' },
      cancels: false,
      left: 'new-container-1',
    },
    {
      rule: 'is not to run when its container was not started',
      cri: { StartContainer: () => 'INTERNAL' },
      cancels: false,
      left: undefined,
    },
  ])('$rule', async ({ cri, cancels, left }) => {
    const { attempt, done, clock } = starting(new FakeCriClient(cri), { postStart: hook });
    await clock.advanceAndSettle(0);
    if (cancels) attempt.cancel();
    expect((await done).unfinishedHook).toBe(left);
  });

  it("that fails kills the container, with the kubelet's event", async () => {
    const cri = new FakeCriClient({ ExecSync: () => answer(5, 'bad') });
    const { done, said } = starting(cri, { postStart: hook });
    const result = await done;
    expect(cri.requests('StopContainer')).toEqual([{ containerId: 'new-container-1', timeout: 2n }]);
    expect(said()).toContain('FailedPostStartHook: PostStartHook failed');
    expect(said()).toContain('Killing: FailedPostStartHook');
    expect(result.failures.get('main')).toEqual({
      reason: 'PostStartHookError',
      message:
        'Exec lifecycle hook ([hook now]) for Container "main" in Pod "web_shop(uid-1)" failed - error: ' +
        `command 'hook now' exited with 5: , message: "bad"`,
      until: 0,
    });
    // The other containers still start.
    expect(cri.requests('CreateContainer')).toHaveLength(2);
  });

  it('never holds up a terminating pod', async () => {
    const cri = new FakeCriClient({ ExecSync: () => never });
    const { done, attempt, clock } = starting(cri, { postStart: hook });
    await clock.advanceAndSettle(0);
    attempt.cancel();
    await done;
    expect(cri.methods.at(-1)).toBe('ExecSync');
  });

  it('may sleep', async () => {
    const cri = new FakeCriClient();
    const { done, clock } = starting(cri, { postStart: { sleep: { seconds: 3 } } });
    await clock.advanceAndSettle(2_999);
    expect(cri.requests('CreateContainer')).toHaveLength(1);
    await clock.advanceAndSettle(1);
    await done;
    expect(cri.requests('CreateContainer')).toHaveLength(2);
  });

  it("is recorded on disk from before the container's start until its end", async () => {
    const atStart: (string | undefined)[] = [];
    const cri = new FakeCriClient();
    const { done, files } = starting(cri, { postStart: hook });
    cri.script = {
      StartContainer: () => {
        atStart.push(files.read(UNFINISHED));
        return undefined;
      },
    };
    await done;
    expect(atStart[0]).toBe('new-container-1');
    expect(files.read(UNFINISHED)).toBe('');
  });

  describe('a postStart hook that has ended, with a stale record on disk', () => {
    const one = pod({ containers: [container('main', { lifecycle: { postStart: hook } })] });
    const idle = initialState(
      { podUid: podUid('uid-1'), runtimeName: '', networkNotReady: '', history: 'fresh' },
      { monotonic: 0 },
      false,
    );
    const steady = {
      ...idle,
      phase: { type: 'syncing', pod: one } as const,
      statusKnown: true,
      work: { ...idle.work, acting: false },
    };
    const left = (change: Partial<PodWorkerState>): string | undefined => {
      const { tools, files } = fakeTools();
      files.writeFile(UNFINISHED, 'main-0', 0o600);
      wipeStaleHookNote(tools, { ...steady, ...change });
      return files.read(UNFINISHED);
    };

    it.each<{ rule: string; change: Partial<PodWorkerState>; note: string }>([
      { rule: 'is not run again by the next worker', change: {}, note: '' },
      {
        rule: 'is still under way while another effect runs',
        change: { work: { ...idle.work, acting: true } },
        note: 'main-0',
      },
      { rule: 'was not read yet', change: { statusKnown: false }, note: 'main-0' },
      { rule: 'is still to be run again', change: { unfinishedHook: containerId('main-0') }, note: 'main-0' },
    ])('$rule', ({ change, note }) => {
      expect(left(change)).toBe(note);
    });
  });

  it('that was interrupted runs again before anything else starts', async () => {
    const cri = new FakeCriClient();
    const fakes = fakeTools(cri);
    const one = pod({ containers: [container('main', { lifecycle: { postStart: hook } }), container('second')] });
    const holds = runtime({ sandboxes: [sandbox()], containers: [record('main')] });
    const decided = {
      actions: actions({ containersToStart: [1] }),
      runtime: holds,
      unfinishedHook: containerId('main-0'),
    };
    await act(fakes.attempt(one, decided));
    expect(cri.methods).toEqual(['ExecSync', 'ImageStatus', 'ImageStatus', 'CreateContainer', 'StartContainer']);
  });
});

async function stopping(cri: FakeCriClient, parts: PodParts, { graceSeconds = 30, passMs = 0 } = {}) {
  const fakes = fakeTools(cri);
  const one = pod(parts);
  const names = [...(one.spec.initContainers ?? []), ...one.spec.containers].map(({ name }) => name);
  const holds = runtime({ sandboxes: [sandbox()], containers: names.map((name) => record(name)) });
  const stop = (seconds: number) => stopEverything(fakes.tools, { pod: one, runtime: holds, graceSeconds: seconds });
  const done = stop(graceSeconds);
  await fakes.clock.advanceAndSettle(passMs);
  const stops = () => cri.requests('StopContainer').map(({ containerId: id, timeout }) => `${id} ${timeout}`);
  return { ...fakes, stop, done, stops };
}

const withPreStop = (preStop: NonNullable<Container['lifecycle']>['preStop']): Container =>
  container('main', preStop === undefined ? {} : { lifecycle: { preStop } });

describe('a preStop hook', () => {
  it('runs before its container is stopped', async () => {
    const cri = new FakeCriClient();
    const { done } = await stopping(cri, { containers: [withPreStop(hook)] });
    await done;
    expect(cri.methods).toEqual(['ExecSync', 'StopContainer', 'StopPodSandbox']);
  });

  it.each([
    { rule: 'takes its time off the grace period, in whole seconds', sleeps: 4, grace: 30, stop: 'main-0 26' },
    { rule: 'leaves 2 s at the least', sleeps: 60, grace: 5, stop: 'main-0 2' },
  ])('$rule', async ({ sleeps, grace, stop }) => {
    const preStop = { sleep: { seconds: sleeps } };
    const passMs = Math.min(sleeps, grace) * 1_000;
    const { stops } = await stopping(
      new FakeCriClient(),
      { containers: [withPreStop(preStop)] },
      { graceSeconds: grace, passMs },
    );
    expect(stops()).toEqual([stop]);
  });

  it('that never ends is abandoned when the grace period is over', async () => {
    const cri = new FakeCriClient({ ExecSync: () => never });
    const { stops, said } = await stopping(
      cri,
      { containers: [withPreStop(hook)] },
      { graceSeconds: 4, passMs: 4_000 },
    );
    expect(stops()).toEqual(['main-0 2']);
    expect(said()).toContain('FailedPreStopHook: PreStopHook failed');
  });

  it.each([
    { rule: 'exits with a code', answers: answer(1) },
    { rule: 'cannot be run', answers: 'UNKNOWN' as const },
  ])('that $rule is reported, and its container is still stopped', async ({ answers }) => {
    const cri = new FakeCriClient({ ExecSync: () => answers });
    const { done, said, stops } = await stopping(cri, { containers: [withPreStop(hook)] });
    await done;
    expect(said()).toEqual(['Killing: Stopping container main', 'FailedPreStopHook: PreStopHook failed']);
    expect(stops()).toEqual(['main-0 30']);
  });

  it('that dies with its container after its time was up is reported once', async () => {
    const exec = Promise.withResolvers<ReturnType<typeof answer>>();
    const cri = new FakeCriClient({ ExecSync: () => exec.promise });
    const { done, said, clock } = await stopping(
      cri,
      { containers: [withPreStop(hook)] },
      { graceSeconds: 4, passMs: 4_000 },
    );
    exec.resolve(answer(137));
    await clock.advanceAndSettle(10_000);
    await done;
    expect(said().filter((event) => event.startsWith('FailedPreStopHook'))).toHaveLength(1);
  });

  it('that fails under two stops is reported once', async () => {
    const exec = Promise.withResolvers<ReturnType<typeof answer>>();
    const cri = new FakeCriClient({ ExecSync: () => exec.promise });
    const { stop, done, said, clock } = await stopping(cri, { containers: [withPreStop(hook)] }, { passMs: 1_000 });
    const again = stop(10);
    exec.resolve(answer(1));
    await clock.advanceAndSettle(1_000);
    await Promise.all([done, again]);
    expect(said().filter((event) => event.startsWith('FailedPreStopHook'))).toHaveLength(1);
  });

  it('is skipped without a grace period', async () => {
    const cri = new FakeCriClient();
    const { done } = await stopping(cri, { containers: [withPreStop(hook)] }, { graceSeconds: 0 });
    await done;
    expect(cri.methods).not.toContain('ExecSync');
  });

  it('runs once when the grace period is shortened, and the worker waits for less time', async () => {
    const cri = new FakeCriClient({ ExecSync: () => never });
    const { stop, stops, clock } = await stopping(cri, { containers: [withPreStop(hook)] }, { passMs: 1_000 });
    const again = stop(3);
    await clock.advanceAndSettle(3_000);
    await again;
    expect(cri.requests('ExecSync')).toHaveLength(1);
    expect(stops()).toEqual(['main-0 2']);
  });

  it('that ends only with its container causes no second stop', async () => {
    const hookEnds = Promise.withResolvers<{ readonly ok: true; readonly value: object }>();
    const cri = new FakeCriClient({ ExecSync: () => hookEnds.promise });
    const { stop, stops, clock, done } = await stopping(cri, { containers: [withPreStop(hook)] }, { passMs: 1_000 });
    const again = stop(3);
    await clock.advanceAndSettle(3_000);
    await again;
    hookEnds.resolve(answer(137));
    await done;
    expect(stops()).toEqual(['main-0 2']);
  });

  it('of a sidecar runs at once, while its stop waits for the regular containers', async () => {
    const main = Promise.withResolvers<{ readonly ok: true; readonly value: object }>();
    const cri = new FakeCriClient({
      StopContainer: ({ request }) => (request.containerId === 'main-0' ? main.promise : undefined),
    });
    const parts = { initContainers: [sidecar('helper', { lifecycle: { preStop: hook } })] };
    const { done, stops, clock } = await stopping(cri, parts);
    expect([cri.requests('ExecSync').length, stops()]).toEqual([1, ['main-0 30']]);
    await clock.advanceAndSettle(5_000);
    main.resolve({ ok: true, value: {} });
    await done;
    expect(stops()).toEqual(['main-0 30', 'helper-0 25']);
  });

  it('is read from the runtime when the pod is unknown', async () => {
    const cri = new FakeCriClient();
    const { tools } = fakeTools(cri);
    const annotations = { 'io.kubernetes.container.preStopHandler': '{"exec":{"command":["bye"]}}' };
    const holds = runtime({ containers: [record('main', 'running', { annotations })] });
    await stopEverything(tools, { pod: undefined, runtime: holds, graceSeconds: 2 });
    expect(cri.requests('ExecSync').map(({ cmd }) => cmd)).toEqual([['bye']]);
  });

  it('by HTTP is done when the server has answered with any status', async () => {
    const asked: (string | undefined)[] = [];
    const port = await servingHttp((request, response) => {
      asked.push(`${request.url} ${request.headers['user-agent']}`);
      response.writeHead(500).end();
    });
    const preStop = { httpGet: { host: '127.0.0.1', port, path: '/bye' } };
    const { done, said } = await stopping(new FakeCriClient(), { containers: [withPreStop(preStop)] });
    await done;
    expect(asked).toEqual(['/bye kube-lifecycle/1.36']);
    expect(said()).toEqual(['Killing: Stopping container main']);
  });
});

describe('a pod whose containers all restart', () => {
  it('has each container stopped without a hook and removed, the requesting ones last', async () => {
    const cri = new FakeCriClient();
    const fakes = fakeTools(cri);
    const one = pod({ containers: [withPreStop(hook), container('other')] });
    const holds = runtime({ sandboxes: [sandbox()], containers: [record('main'), record('other', 'exited')] });
    const containersToReset = [
      { id: containerId('main-0'), name: 'main', stopFirst: true },
      { id: containerId('other-0'), name: 'other', stopFirst: false },
    ];
    const result = await act(fakes.attempt(one, { actions: actions({ containersToReset }), runtime: holds }));
    expect(cri.methods).toEqual(['StopContainer', 'RemoveContainer', 'RemoveContainer']);
    expect(cri.requests('StopContainer')[0]?.timeout).toBe(2n);
    expect(result.touched.containers.map(([id]) => id)).toEqual(['main-0', 'other-0']);
  });
});
