import { describe, expect, it } from 'vitest';
import { type DevEnds, DevSession } from '../../../src/cli/dev/dev-session.ts';
import { devView, tableLines } from '../../../src/cli/dev/dev-view.ts';
import { initContainersToEnd } from '../../../src/cli/dev/simulated-work.ts';
import { judgeInterrupt } from '../../../src/agent/stop-signals.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { fakeBackend, namedPod } from '../admin/fake-backend.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';
import { fakeScreen } from '../fake-screen.ts';
import { fakeTerminal } from '../fake-terminal.ts';

const READY: PodStatus = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const PULLING: PodStatus = {
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      restartCount: 0,
      image: 'x',
      imageID: '',
      state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image x' } },
    },
  ],
};

/** A session with an agent that has the given pods, and the session's actions so far. */
function session(
  pods: readonly Pod[],
  ends: Partial<DevEnds> = {},
  ask = async () => pods,
  gone: Promise<unknown> = Promise.resolve(),
) {
  const clock = manualClock();
  const terminal = fakeTerminal();
  const failed = Promise.withResolvers<string>();
  const stop = Promise.withResolvers<void>();
  const stops: string[] = [];
  const agent = {
    admin: fakeBackend({ pods: ask }),
    failed: failed.promise,
    async stop(options: { readonly pods: string }) {
      stops.push(options.pods);
      await gone;
    },
  };
  const follower = { warnings: () => [] };
  const deps = { agent, clock, follower, view: devView(terminal), manifests: 1, simulate: () => Promise.resolve() };
  const ended = new DevSession(deps).run({
    stopAsked: stop.promise,
    partEnded: new Promise(() => {}),
    readyWithinMs: undefined,
    ...ends,
  });
  let code: number | undefined;
  void ended.then((given) => (code = given));
  return { clock, failed, stop, stops, code: () => code, said: () => terminal.written.join('') };
}

describe('a development session', () => {
  it('stays when all pods are ready, until it is asked to end', async () => {
    const { clock, stop, stops, code, said } = session([namedPod('web', { status: READY })]);
    await clock.advanceAndSettle(600_000);
    expect(code()).toBeUndefined();
    stop.resolve();
    await clock.advanceAndSettle(1_000);
    expect(stops).toEqual(['stop']);
    expect(said()).toBe('default/web 0/1 Running\n\nstopping one pod …\nall pods are stopped\n');
    expect(code()).toBe(0);
  });

  it('names the pods that take long to stop, and how to exit without them', async () => {
    const gone = Promise.withResolvers<void>();
    const { clock, stop, code, said } = session([namedPod('web')], {}, undefined, gone.promise);
    await clock.advanceAndSettle(1_000);
    stop.resolve();
    await clock.advanceAndSettle(39_000);
    expect(said()).not.toContain('not stopped after');
    await clock.advanceAndSettle(60_000);
    expect(said().match(/not stopped after.*/g)).toEqual([
      'not stopped after 40 s: default/web; the log says why. Ctrl-C exits without waiting',
    ]);
    gone.resolve();
    await clock.advanceAndSettle(1_000);
    expect(code()).toBe(0);
  });

  it('ends although a dead agent never answers its last question', async () => {
    const { clock, stop, code } = session([], {}, () => new Promise(() => {}));
    stop.resolve();
    await clock.advanceAndSettle(1_000);
    expect(code()).toBe(0);
  });

  it('exits with 0 once all pods are ready, if that was requested', async () => {
    const { clock, stops, code } = session([namedPod('web', { status: READY })], { readyWithinMs: 60_000 });
    await clock.advanceAndSettle(1_000);
    expect({ code: code(), stops }).toEqual({ code: 0, stops: ['stop'] });
  });

  it('exits with the reasons when pods are not ready in time', async () => {
    const { clock, stops, code, said } = session([namedPod('web', { status: PULLING })], { readyWithinMs: 60_000 });
    await clock.advanceAndSettle(59_000);
    expect(code()).toBeUndefined();
    await clock.advanceAndSettle(2_000);
    expect({ code: code(), stops }).toEqual({ code: 1, stops: ['stop'] });
    expect(said()).toContain('default/web is ImagePullBackOff: main waits (ImagePullBackOff: no such image x)');
  });

  it('does not count zero pods as all pods ready', async () => {
    const { clock, code, said } = session([], { readyWithinMs: 60_000 });
    await clock.advanceAndSettle(61_000);
    expect(code()).toBe(1);
    expect(said()).toContain('1 of 1 manifests did not become pods');
  });

  it('ends when the agent cannot continue', async () => {
    const { clock, failed, code, said } = session([namedPod('web', { status: READY })]);
    failed.resolve('thread pleg ended 9 times');
    await clock.advanceAndSettle(1_000);
    expect(code()).toBe(70);
    expect(said()).toContain('the agent failed: thread pleg ended 9 times');
  });

  it('ends when its runtime ends', async () => {
    const { clock, code } = session([], { partEnded: Promise.resolve('the embedded runtime ended: SIGKILL') });
    await clock.advanceAndSettle(1_000);
    expect(code()).toBe(70);
  });
});

describe('the view of a development session', () => {
  it('is redrawn in place on a terminal, and only when it changes', () => {
    const screen = fakeScreen();
    const view = devView(fakeTerminal({ isLive: true }), () => screen);
    view.show([namedPod('web')], 0);
    view.show([namedPod('web')], 0);
    expect(screen.drawn).toHaveLength(1);
    view.show([namedPod('web', { status: READY })], 0);
    expect(screen.drawn.at(-1)?.[0]).toMatch(/^NAMESPACE/);
    expect(screen.drawn).toHaveLength(2);
  });

  it('prints permanent lines above the table', () => {
    const screen = fakeScreen();
    const view = devView(fakeTerminal({ isLive: true }), () => screen);
    view.show([namedPod('web')], 0);
    view.say(['warn: something']);
    view.say([]);
    expect(screen.said).toEqual([['warn: something']]);
  });

  it('fits on the screen', () => {
    const pods = Array.from({ length: 50 }, (_, index) => namedPod(`a-long-name-for-a-pod-${index}`));
    const lines = tableLines(pods, { now: 0, columns: 20, rows: 10 });
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toBe('… and 44 more');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(20);
  });

  it('is one line per change without a terminal', async () => {
    const terminal = fakeTerminal();
    const view = devView(terminal);
    view.show([namedPod('web')], 0);
    view.show([namedPod('web')], 5_000);
    view.show([], 6_000);
    await settled();
    expect(terminal.written).toEqual(['default/web 0/1 Unknown\n', 'default/web was removed\n']);
  });
});

describe('a request to end', () => {
  it.each([
    { rule: 'starts an orderly end', firstAt: undefined, now: 5_000, verdict: 'stop' },
    { rule: 'counts once when npm forwards it as well', firstAt: 5_000, now: 5_010, verdict: 'echo' },
    { rule: 'ends all waiting when it is repeated', firstAt: 5_000, now: 5_500, verdict: 'leave-at-once' },
  ])('$rule', ({ firstAt, now, verdict }) => {
    expect(judgeInterrupt(firstAt, now)).toBe(verdict);
  });
});

describe('the embedded runtime in a development session', () => {
  const running = { ready: false, restartCount: 0, image: '', imageID: '', state: { running: {} } };
  const pod = (initContainers: NonNullable<Pod['spec']['initContainers']>): Pod => ({
    ...namedPod('web'),
    spec: { containers: [], initContainers },
    status: { initContainerStatuses: initContainers.map(({ name }) => ({ ...running, name })) },
  });

  it('ends init containers, which would run for ever', () => {
    expect(initContainersToEnd([pod([{ name: 'prepare' }])])).toEqual([
      { op: 'exit', pod: 'web', namespace: 'default', container: 'prepare', code: 0 },
    ]);
  });

  it('keeps sidecars running', () => {
    expect(initContainersToEnd([pod([{ name: 'proxy', restartPolicy: 'Always' }]), namedPod('plain')])).toEqual([]);
  });
});
