import { beforeEach, describe, expect, it } from 'vitest';
import type { Weather } from './node/api-weather.ts';
import { ClusterNode } from './node/cluster-node.ts';

const PODS = 20;
const MINUTE = 60_000;
let node: ClusterNode;

beforeEach(async () => {
  node = new ClusterNode();
  await node.begin(PODS);
});

/** Plays a fault of the API server; in the middle of the fault a container exits by itself. */
async function trouble(weather: Weather, ms: number): Promise<number> {
  node.changes.length = 0;
  const began = node.time.now;
  node.api.weather.turn(weather);
  await node.pass(ms / 2);
  expect(node.runningContainers()).toBe(PODS);
  expect(node.changes).toEqual([]);
  node.runtime.core.control.exit({ pod: 'web-3', container: 'main' }, 7);
  await node.pass(ms / 2);
  // The container was restarted although the API was unavailable.
  expect(node.runningContainers()).toBe(PODS);
  expect(node.changes).toEqual(['CreateContainer', 'StartContainer']);
  // Retries during the fault become rarer.
  for (const tries of node.lists(began).values()) expect(tries).toBeLessThan(30);
  node.api.weather.turn({ type: 'fair' });
  return node.time.now;
}

const restartsOf = (name: string) =>
  node.pods().find(({ metadata }) => metadata.name === name)?.status?.containerStatuses?.[0]?.restartCount;

function expectNoStorm(since: number): void {
  for (const [kind, lists] of node.lists(since)) expect([kind, lists]).toEqual([kind, 1]);
}

describe('a node with an API server', () => {
  it.each<{ what: string; weather: Weather; ms: number }>([
    { what: 'is down for ten minutes', weather: { type: 'away' }, ms: 10 * MINUTE },
    {
      what: 'does not answer for ten minutes',
      weather: { type: 'silent' },
      ms: 10 * MINUTE,
    },
    {
      what: 'takes 20 s for each answer',
      weather: { type: 'slow', delayMs: 20_000 },
      ms: 5 * MINUTE,
    },
    {
      what: 'rejects most calls with Retry-After',
      weather: { type: 'busy', retryAfterMs: 5_000 },
      ms: 5 * MINUTE,
    },
    {
      what: 'rejects every other write as a conflict',
      weather: { type: 'conflicts' },
      ms: 5 * MINUTE,
    },
    { what: 'does not authenticate the node', weather: { type: 'stranger' }, ms: 10 * MINUTE },
  ])('that $what keeps its containers running, and loses nothing', async ({ weather, ms }) => {
    const since = await trouble(weather, ms);
    await node.pass(MINUTE);
    const [renewed = Infinity] = node.leaseRenewals(since);
    expect(renewed - since).toBeLessThanOrEqual(10_000);
    expect(restartsOf('web-3')).toBe(1);
    expect(node.readyPods()).toBe(PODS);
    expectNoStorm(since);
    expect(node.problems).toEqual([]);
  });

  it('that returns without its history lists once, and loses nothing', async () => {
    const since = await trouble({ type: 'away' }, 10 * MINUTE);
    node.api.weather.forget(Infinity);
    await node.pass(2_000);
    void node.deletePod('web-5');
    void node.createPod('web-new');
    await node.pass(MINUTE);
    expectNoStorm(since);
    expect(node.readyPods()).toBe(PODS);
    expect(node.pods().some(({ metadata }) => metadata.name === 'web-5')).toBe(false);
    expect(node.problems).toEqual([]);
  });

  it('that is down while pods are bound and deleted follows within seconds of its return', async () => {
    node.api.weather.turn({ type: 'away' });
    await node.pass(5 * MINUTE);
    void node.deletePod('web-1');
    void node.createPod('web-new');
    await node.pass(5 * MINUTE);
    node.api.weather.turn({ type: 'fair' });
    await node.pass(15_000);
    expect(node.pods().some(({ metadata }) => metadata.name === 'web-1')).toBe(false);
    expect(node.readyPods()).toBe(PODS);
  });

  it('keeps all pods when the machine’s clock is set an hour forward or back', async () => {
    for (const step of [3_600_000, -7_200_000]) {
      node.changes.length = 0;
      const since = node.time.now;
      node.time.stepWallClock(step);
      await node.pass(2 * MINUTE);
      expect(node.changes).toEqual([]);
      expect(node.readyPods()).toBe(PODS);
      expect(node.writes(since)).toEqual([]);
      // The lease is still renewed every ten seconds.
      expect(node.leaseRenewals(since).length).toBeGreaterThanOrEqual(10);
      expect([...node.lists(since)]).toEqual([]);
    }
  });
});

describe('an idle node', () => {
  it('writes nothing but its lease, and lists nothing', async () => {
    const since = node.time.now;
    await node.pass(10 * MINUTE);
    expect(node.writes(since)).toEqual([]);
    expect([...node.lists(since)]).toEqual([]);
  });
});

describe('a pod that starts and ends without faults', () => {
  it('causes at most three status writes, three events, and one delete at its end', async () => {
    const since = node.time.now;
    void node.createPod('lonely');
    await node.pass(30_000);
    const pod = 'patch /api/v1/namespaces/default/pods/lonely/status';
    const event = 'create /api/v1/namespaces/default/events';
    const started = node.writes(since);
    expect(started.filter((each) => each === pod).length).toBeLessThanOrEqual(3);
    expect(started.filter((each) => each !== pod)).toEqual([event, event, event]);
    const deletedAt = node.time.now;
    void node.deletePod('lonely');
    await node.pass(MINUTE);
    const ended = node.writes(deletedAt);
    expect(ended.filter((each) => each === pod).length).toBeLessThanOrEqual(2);
    expect(ended.filter((each) => each !== pod)).toEqual([event, 'delete /api/v1/namespaces/default/pods/lonely']);
  });
});

describe('an agent that restarts beside running pods', () => {
  const restart = async (downMs: number): Promise<number> => {
    node.changes.length = 0;
    const since = node.time.now;
    node.killAgent();
    await node.pass(downMs);
    node.startAgent();
    return since;
  };

  it('touches no container, writes no status, and lists each kind once', async () => {
    const since = await restart(5_000);
    await node.pass(2 * MINUTE);
    expect(node.changes).toEqual([]);
    expect(node.writes(since)).toEqual([]);
    expectNoStorm(since);
    expect(node.readyPods()).toBe(PODS);
    expect(node.problems).toEqual([]);
  });

  it('touches no container on a node with a thousand pods', { timeout: 30_000 }, async () => {
    node.createPods('many', 1_000 - PODS);
    await node.pass(20_000);
    expect(node.readyPods()).toBe(1_000);
    const since = await restart(1_000);
    await node.pass(MINUTE);
    expect(node.changes).toEqual([]);
    expect(node.writes(since)).toEqual([]);
    expect(node.readyPods()).toBe(1_000);
    // The agent knows the pods, and reacts to their events.
    node.runtime.core.control.exit({ pod: 'many-7', container: 'main' }, 1);
    await node.pass(5_000);
    expect(node.changes).toEqual(['CreateContainer', 'StartContainer']);
  });

  it('keeps pods Ready by their saved verdicts, although it must probe them again', async () => {
    const probe = { exec: { command: ['true'] }, periodSeconds: 5, initialDelaySeconds: 10 };
    node.createPods('probed', 5, { readinessProbe: probe, startupProbe: probe });
    await node.pass(MINUTE);
    expect(node.readyPods()).toBe(PODS + 5);
    const since = await restart(2_000);
    for (let seconds = 0; seconds < 120; seconds += 1) {
      await node.pass(1_000);
      expect(node.readyPods()).toBe(PODS + 5);
    }
    expect(node.changes).toEqual([]);
    expect(node.writes(since)).toEqual([]);
  });

  it('writes changes from the time of the outage once, and nothing else', async () => {
    const since = await restart(500);
    node.runtime.core.control.exit({ pod: 'web-2', container: 'main' }, 1);
    await node.pass(2 * MINUTE);
    expect(restartsOf('web-2')).toBe(1);
    const statuses = node.writes(since).filter((each) => each.endsWith('/status'));
    expect(new Set(statuses)).toEqual(new Set(['patch /api/v1/namespaces/default/pods/web-2/status']));
    expect(statuses.length).toBeLessThanOrEqual(2);
  });
});
