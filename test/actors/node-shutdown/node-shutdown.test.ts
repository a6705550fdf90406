import { describe, expect, it } from 'vitest';
import { NodeShutdown } from '../../../actors/node-shutdown/actor.ts';
import type { NodeShutdownProtocol } from '../../../actors/node-shutdown/protocol.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { ShutdownListener, ShutdownNotices } from '../../../src/host/shutdown-notices.ts';
import type { ShutdownPeriod } from '../../../src/node/shutdown/shutdown-plan.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const pod = (uid: string, priority: number, phase: 'Running' | 'Succeeded' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, namespace: 'shop', uid },
  spec: { containers: [], priority, terminationGracePeriodSeconds: 60 },
  status: { phase },
});

const PERIODS: readonly ShutdownPeriod[] = [
  { priority: 0, seconds: 20 },
  { priority: 2_000_000_000, seconds: 10 },
];

/** A machine whose shutdowns the test announces. */
function machine(limitMs = 30_000) {
  const fake = {
    limitMs,
    raisedTo: 0,
    honoursRaise: true,
    present: true,
    answers: Promise.resolve(),
    shuttingDown: false,
    locks: 0,
    listener: undefined as ShutdownListener | undefined,
    watches: 0,
  };
  const asked = async <T>(value: () => T): Promise<T> => {
    await fake.answers;
    if (!fake.present) throw new Error('no such bus\nwith many lines');
    return value();
  };
  const notices: ShutdownNotices = {
    delayLimitMs: () => asked(() => fake.limitMs),
    raiseDelayLimit: (seconds) =>
      asked(() => {
        fake.raisedTo = seconds;
        if (fake.honoursRaise) fake.limitMs = seconds * 1000;
      }),
    isShuttingDown: () => asked(() => fake.shuttingDown),
    holdBack: () =>
      asked(() => {
        if (fake.shuttingDown) throw new Error('a shutdown is under way');
        fake.locks += 1;
        let isHeld = true;
        return {
          release() {
            if (isHeld) fake.locks -= 1;
            isHeld = false;
          },
        };
      }),
    watch: (listener) => {
      fake.listener = listener;
      fake.watches += 1;
      return () => void (fake.listener = undefined);
    },
  };
  const announce = (shuttingDown: boolean): void => {
    fake.shuttingDown = shuttingDown;
    fake.listener?.announced(shuttingDown);
  };
  return { fake, notices, announce, held: { current: undefined } };
}

async function nodeShutdown(
  options: { readonly world?: ReturnType<typeof machine>; readonly periods?: readonly ShutdownPeriod[] } = {},
) {
  const { world = machine(), periods = PERIODS } = options;
  const announced: boolean[] = [];
  const events: string[] = [];
  const ended: string[] = [];
  const times: object[] = [];
  let pods: readonly Pod[] = [pod('a', 0), pod('b', 5), pod('critical', 2_000_000_000), pod('done', 0, 'Succeeded')];
  const ends = new Map<string, () => void>();
  const actor = await actorUnderTest<NodeShutdownProtocol>({
    address: 'node-shutdown',
    make: (context) =>
      new NodeShutdown(context, {
        notices: world.notices,
        held: world.held,
        periods,
        listPods: async () => pods,
        endPod: (uid, grace) => {
          ended.push(`${uid} within ${grace} s`);
          return new Promise((resolve) => void ends.set(uid, resolve));
        },
        announce: (shuttingDown) => void announced.push(shuttingDown),
        recordEvent: (message) => void events.push(message),
        keepTimes: (kept) => void times.push(kept),
      }),
    others: { 'health-monitor': () => undefined },
    startMs: Date.UTC(2026, 0, 2),
  });
  return {
    ...actor,
    ...world,
    announced,
    events,
    times,
    podsAre: (now: readonly Pod[]) => void (pods = now),
    takeEnded: () => ended.splice(0),
    hasEnded: async (uid: string): Promise<void> => {
      ends.get(uid)?.();
      await actor.quiet();
    },
    shutDown: async (shuttingDown: boolean): Promise<void> => {
      world.announce(shuttingDown);
      await actor.quiet();
    },
    phase: () => actor.ask({ type: 'shutdown-state' }),
  };
}

describe('the node shutdown', () => {
  it('does nothing without a shutdown grace period', async () => {
    const { fake, phase, logged } = await nodeShutdown({ periods: [] });
    expect([fake.watches, fake.locks, logged.length, await phase()]).toEqual([0, 0, 0, 'off']);
  });

  it('delays a shutdown for the grace period of its pods', async () => {
    const { fake, phase } = await nodeShutdown();
    expect([fake.locks, fake.raisedTo, await phase()]).toEqual([1, 0, 'armed']);
  });

  it('raises the logind limit when it is too short', async () => {
    const { fake, phase, pass } = await nodeShutdown({ world: machine(5_000) });
    await pass(1_000);
    expect([fake.locks, fake.raisedTo, await phase()]).toEqual([1, 30, 'armed']);
  });

  it('is off, with one log line, when the limit cannot be raised', async () => {
    const world = machine(5_000);
    world.fake.honoursRaise = false;
    const { phase, logged, pass } = await nodeShutdown({ world });
    await pass(60_000);
    expect(await phase()).toBe('off');
    expect(logged).toEqual([
      'warn: graceful node shutdown is off: systemd-logind delays a shutdown by at most 5 s, but pods may need 30 s; a shutdown will not wait for pods',
    ]);
  });

  it('is off, with one log line, without logind', async () => {
    const world = machine();
    world.fake.present = false;
    const { phase, logged, pass } = await nodeShutdown({ world });
    await pass(600_000);
    expect(await phase()).toBe('off');
    expect(logged).toEqual([
      'warn: graceful node shutdown is off: systemd-logind does not answer (Error: no such bus); a shutdown will not wait for pods',
    ]);
  });
});

describe('when the machine shuts down', () => {
  it('pods end by priority group, one group after the other, and then the lock is released', async () => {
    const { shutDown, takeEnded, hasEnded, announced, fake, phase, times } = await nodeShutdown();
    await shutDown(true);
    expect(announced).toEqual([true]);
    expect(takeEnded()).toEqual(['a within 20 s', 'b within 20 s']);
    await hasEnded('a');
    expect(takeEnded()).toEqual([]);
    await hasEnded('b');
    expect(takeEnded()).toEqual(['critical within 10 s']);
    expect([fake.locks, await phase()]).toEqual([1, 'shutting-down']);
    await hasEnded('critical');
    expect([fake.locks, await phase()]).toEqual([0, 'released']);
    expect(times).toEqual([
      { startTime: '2026-01-02T00:00:00.000Z' },
      { startTime: '2026-01-02T00:00:00.000Z', endTime: '2026-01-02T00:00:00.000Z' },
    ]);
  });

  it('the next group starts when the time of a hanging group is over, and so does the shutdown after the last', async () => {
    const { shutDown, takeEnded, pass, fake } = await nodeShutdown();
    await shutDown(true);
    takeEnded();
    await pass(19_000);
    expect(takeEnded()).toEqual([]);
    await pass(1_000);
    expect(takeEnded()).toEqual(['critical within 10 s']);
    await pass(10_000);
    expect(fake.locks).toBe(0);
  });

  it('the lock is released at once without pods', async () => {
    const { podsAre, shutDown, fake, phase } = await nodeShutdown();
    podsAre([pod('done', 0, 'Succeeded')]);
    await shutDown(true);
    expect([fake.locks, await phase()]).toEqual([0, 'released']);
  });

  it('a cancelled shutdown admits pods again, and the next shutdown is delayed too', async () => {
    const { shutDown, takeEnded, hasEnded, announced, fake, phase, pass } = await nodeShutdown();
    await shutDown(true);
    takeEnded();
    await shutDown(false);
    expect([announced, fake.locks, await phase()]).toEqual([[true, false], 1, 'armed']);
    // Late words of the shutdown that was called off.
    await hasEnded('a');
    await hasEnded('b');
    await pass(60_000);
    expect([takeEnded(), fake.locks]).toEqual([[], 1]);
    await shutDown(true);
    expect(takeEnded()).toEqual(['a within 20 s', 'b within 20 s']);
  });

  it('the shutdown is announced, and announced again to restarted actors', async () => {
    const { shutDown, announced, events, pass } = await nodeShutdown();
    await shutDown(true);
    await pass(10_000);
    expect(announced).toEqual([true, true, true]);
    await shutDown(false);
    await pass(60_000);
    expect(announced).toEqual([true, true, true, false]);
    expect(events).toEqual([
      'Shutdown manager detected shutdown event',
      'Shutdown manager detected shutdown cancellation',
    ]);
  });

  it('a repeated announcement counts once', async () => {
    const { shutDown, takeEnded, announced } = await nodeShutdown();
    await shutDown(true);
    await shutDown(true);
    expect([announced, takeEnded()]).toEqual([[true], ['a within 20 s', 'b within 20 s']]);
  });
});

describe('when something fails', () => {
  it('a lost bus connection is reopened after a second, and the state of the shutdown is read again', async () => {
    const { fake, pass, takeEnded, quiet } = await nodeShutdown();
    fake.listener?.lost('connection reset');
    await quiet();
    fake.shuttingDown = true;
    await pass(1_000);
    expect(fake.watches).toBe(2);
    expect(takeEnded()).toEqual(['a within 20 s', 'b within 20 s']);
  });

  it('a logind that does not answer is a failing duty, until it answers', async () => {
    const { fake, pass, logged, quiet, take } = await nodeShutdown();
    const { promise, resolve } = Promise.withResolvers<void>();
    fake.answers = promise;
    fake.listener?.lost('connection reset');
    await quiet();
    take('health-monitor');
    await pass(15_000);
    expect(take('health-monitor')).toMatchObject([
      { type: 'duty-failing', duty: { work: 'delay shutdowns of the machine' } },
    ]);
    resolve();
    await pass(1);
    expect(take('health-monitor')).toMatchObject([{ type: 'duty-working' }]);
    expect(logged.filter((line) => /can(not)? delay shutdowns/.test(line))).toHaveLength(2);
  });

  it('a shutdown cancelled while the bus was lost is over', async () => {
    const { fake, pass, shutDown, announced, quiet } = await nodeShutdown();
    await shutDown(true);
    fake.listener?.lost('connection reset');
    fake.shuttingDown = false;
    await quiet();
    await pass(1_000);
    expect(announced).toEqual([true, false]);
  });

  it('a crash during a shutdown continues with the pods that still run, under the same lock', async () => {
    const { shutDown, crash, podsAre, takeEnded, hasEnded, fake } = await nodeShutdown();
    await shutDown(true);
    takeEnded();
    podsAre([pod('b', 5)]);
    await crash();
    expect([takeEnded(), fake.locks]).toEqual([['b within 20 s'], 1]);
    await hasEnded('b');
    expect(fake.locks).toBe(0);
  });

  it('an orderly stop releases the lock', async () => {
    const { host, fake } = await nodeShutdown();
    await host.stopActor('node-shutdown');
    expect([fake.locks, fake.listener]).toEqual([0, undefined]);
  });
});
