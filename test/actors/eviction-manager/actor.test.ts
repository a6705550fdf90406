import { NODE_STATUS } from '../../../actors/node-status/protocol.ts';
import { POD_MANAGER } from '../../../actors/pod-manager/protocol.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { describe, expect, it } from 'vitest';
import { EvictionManager } from '../../../actors/eviction-manager/actor.ts';
import { evictionMetrics } from '../../../actors/eviction-manager/metrics.ts';
import type { EvictionManagerProtocol } from '../../../actors/eviction-manager/protocol.ts';
import type { EvictionFacts, PodManagerQuestion } from '../../../actors/pod-manager/protocol.ts';
import { ActorFault } from '../../../src/actor/fault.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodFigures } from '../../../src/node/eviction/figures.ts';
import type { Threshold } from '../../../src/node/eviction/thresholds.ts';
import type { Pressures } from '../../../src/node/object/node-conditions.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { apiPod, figures, MI } from '../../node/eviction/eviction-fixtures.ts';

const SHORT_OF_MEMORY: Threshold = { signal: 'memory.available', value: '100Mi', graceMs: 0, minReclaim: undefined };
const SHORT_OF_DISK: Threshold = { signal: 'nodefs.available', value: '10%', graceMs: 0, minReclaim: undefined };
const START_MS = 1_000_000;
const POD_MIB = 300;
const NODE_MIB = 1_000;

/** A node on which pods use memory and disk, and a pod manager that takes three seconds to end one. */
class World {
  readonly pods = new Map<string, Pod>();
  /** When each is going to have ended. */
  readonly evicting = new Map<string, number>();
  readonly evicted: string[] = [];
  readonly events: EventToRecord[] = [];
  readonly reclaimed: string[] = [];
  readonly families = new MetricFamilies();
  /** The last pressures sent to the pod manager. */
  told: () => Pressures | undefined = () => undefined;
  /** How many more mebibytes of memory, and percent of the disk, others use. */
  othersMib = 0;
  diskPercentFree = 50;
  knowsPods = true;
  endsWithinMs = 3_000;
  /** Called at every step that the actor takes outside itself. */
  step: () => void = () => {};
  now: () => number = () => 0;

  readonly #ended = new Map<string, (() => void)[]>();

  constructor(...uids: readonly string[]) {
    for (const uid of uids) this.pods.set(uid, apiPod(uid));
  }

  get pressures(): Pressures | undefined {
    return this.told();
  }

  podManager(question: PodManagerQuestion): unknown {
    this.step();
    switch (question.type) {
      case 'eviction-facts':
        return this.#facts(question.of);
      case 'evict-pod':
        return this.#evict(question.podUid);
      default:
        return undefined;
    }
  }

  #facts(of: Extract<PodManagerQuestion, { type: 'eviction-facts' }>['of']): EvictionFacts {
    const asked = [...this.pods.values()].filter(({ metadata }) =>
      of === 'all' ? true : of !== 'storage-limited' && of.some((uid) => uid === metadata.uid),
    );
    return {
      complete: this.knowsPods,
      pods: asked,
      there: asked.map(({ metadata }) => podUid(metadata.uid)),
      evicting: [...this.evicting.keys()].map(podUid),
      pressures: this.pressures,
    };
  }

  #evict(uid: string): unknown {
    if (!this.pods.has(uid)) return 'ended';
    if (!this.evicting.has(uid)) this.evicting.set(uid, this.now() + this.endsWithinMs);
    return new Promise((resolve) => {
      this.#ended.set(uid, [...(this.#ended.get(uid) ?? []), () => resolve('ended')]);
    });
  }

  timePasses(): void {
    for (const [uid, at] of this.evicting) if (at <= this.now()) this.#end(uid);
  }

  #end(uid: string): void {
    this.pods.delete(uid);
    this.evicting.delete(uid);
    this.evicted.push(uid);
    for (const ended of this.#ended.get(uid) ?? []) ended();
  }

  node() {
    const time = new Date(this.now()).toISOString();
    const used = this.othersMib + this.pods.size * POD_MIB;
    return {
      memory: { time, workingSetBytes: used * MI, availableBytes: (NODE_MIB - used) * MI },
      fs: { time, availableBytes: this.diskPercentFree * MI, capacityBytes: 100 * MI },
    };
  }

  podFigures(uids: readonly string[]): readonly PodFigures[] {
    return uids.map((uid, index) => figures(uid, { memory: (POD_MIB + index) * MI, rootfs: MI + index }));
  }
}

async function managerIn(world: World, thresholds: readonly Threshold[] = [SHORT_OF_MEMORY], watchMemoryEveryMs = 0) {
  const metrics = evictionMetrics(world.families);
  const asked = async <T>(value: () => T): Promise<T> => {
    world.step();
    return value();
  };
  const under = await actorUnderTest<EvictionManagerProtocol>({
    address: 'eviction-manager',
    startMs: START_MS,
    others: {
      'pod-manager': (question) => world.podManager(question as PodManagerQuestion),
      'node-status': () => undefined,
    },
    make: (context) => {
      world.now = () => context.clock.now();
      return new EvictionManager(context, {
        settings: { thresholds, transitionMs: 60_000, maxPodGraceSeconds: 30, storageLimits: true },
        nodeName: 'node-1',
        figures: {
          node: () => asked(() => world.node()),
          memory: () => asked(() => world.node()),
          pods: (uids) => asked(() => world.podFigures(uids)),
          fileSystems: () => asked(() => 'single' as const),
        },
        reclaim: {
          'delete-unused-containers': () =>
            asked(() => {
              throw new ActorFault('deadline-exceeded', 'too slow');
            }),
          'delete-unused-images': () => asked(() => void world.reclaimed.push('images')),
        },
        isTornDown: () => asked(() => true),
        listeners: [POD_MANAGER, NODE_STATUS],
        recordEvent: (event) => void world.events.push(event),
        metrics,
        watchMemoryEveryMs,
      });
    },
  });
  world.told = () => {
    const said = under.told.findLast(
      ({ to, command }) => to === 'pod-manager' && command.type === 'pressures-observed',
    );
    return (said?.command as { readonly pressures?: Pressures } | undefined)?.pressures;
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await under.pass(1_000);
      world.timePasses();
      await under.quiet();
    }
  };
  return { ...under, pass };
}

describe('the eviction manager', () => {
  it('evicts one pod when memory is short, reports the pressure, and ends it again', async () => {
    const world = new World('a', 'b', 'c');
    world.othersMib = 50;
    const manager = await managerIn(world);
    await manager.pass(15);
    expect(world.evicted).toEqual(['c']);
    expect(world.pressures).toEqual({ memory: true, disk: false, pid: false });
    expect(manager.take('node-status').at(-1)).toEqual({ type: 'pressures-observed', pressures: world.pressures });
    expect(
      world.events.map(({ object, reason, message, annotations }) => [object.name, reason, message, annotations]),
    ).toEqual([
      ['node-1', 'EvictionThresholdMet', 'Attempting to reclaim memory', undefined],
      [
        'c',
        'Evicted',
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
          'Container main was using 302Mi, request is 0, has larger consumption of memory. ',
        {
          offending_containers: 'main',
          offending_containers_usage: '302Mi',
          starved_resource: 'memory',
        },
      ],
    ]);
    expect(world.families.text()).toContain('kubelet_evictions{eviction_signal="memory.available"} 1');
    await manager.pass(70);
    expect(world.pressures).toEqual({ memory: false, disk: false, pid: false });
  });

  it('evicts one pod after another while memory stays short', async () => {
    const world = new World('a', 'b', 'c');
    world.othersMib = 50;
    const manager = await managerIn(world, [{ ...SHORT_OF_MEMORY, value: '500Mi' }]);
    await manager.pass(2);
    expect([...world.evicting.keys()]).toEqual(['c']);
    await manager.pass(60);
    expect(world.evicted).toEqual(['c', 'b']);
  });

  it('records that a pod exceeded its grace period, and finally continues without it', async () => {
    const world = new World('a', 'b', 'c');
    world.othersMib = 50;
    world.endsWithinMs = 600_000;
    const manager = await managerIn(world);
    const said = () => world.events.filter(({ reason }) => reason !== 'EvictionThresholdMet');
    await manager.pass(9);
    expect(said().map(({ object, reason }) => `${object.name} ${reason}`)).toEqual(['c Evicted']);
    await manager.pass(3);
    expect(said().at(-1)).toMatchObject({
      object: { name: 'c' },
      type: 'Warning',
      reason: 'ExceededGracePeriod',
      message: 'Container runtime did not kill the pod within specified grace period.',
    });
    await manager.pass(40);
    expect(said().map(({ object, reason }) => `${object.name} ${reason}`)).toEqual([
      'c Evicted',
      'c ExceededGracePeriod',
      'b Evicted',
      'b ExceededGracePeriod',
    ]);
  });

  it('reclaims node resources first, even if a collector hangs', async () => {
    const world = new World('a');
    world.diskPercentFree = 5;
    const manager = await managerIn(world, [SHORT_OF_DISK]);
    await manager.pass(2);
    expect(world.reclaimed).toEqual(['images']);
    expect([...world.evicting.keys()]).toEqual(['a']);
  });

  it('decides nothing while the running pods are unknown', async () => {
    const world = new World('a', 'b', 'c');
    world.othersMib = 99;
    world.knowsPods = false;
    const manager = await managerIn(world);
    await manager.pass(20);
    expect(world.evicting.size).toBe(0);
    world.knowsPods = true;
    await manager.pass(20);
    expect(world.evicted).toHaveLength(1);
  });

  it('checks memory alone between passes, where configured', async () => {
    const world = new World('a', 'b', 'c');
    const manager = await managerIn(world, [SHORT_OF_MEMORY], 1_000);
    await manager.pass(2);
    world.othersMib = 50;
    await manager.pass(2);
    expect([...world.evicting.keys()]).toEqual(['c']);
  });
});

describe('an eviction manager that is killed in the middle of an eviction', () => {
  /** The number of the manager's calls to others until the node has recovered. */
  const steps = Array.from({ length: 15 }, (_, index) => index + 1);
  it.each(steps)('at its step %i has evicted exactly one pod', async (fatal) => {
    const world = new World('a', 'b', 'c');
    const manager = await managerIn(world);
    world.othersMib = 50;
    let taken = 0;
    let crashed: Promise<void> = Promise.resolve();
    world.step = () => {
      taken += 1;
      if (taken === fatal) crashed = manager.crash();
    };
    await manager.pass(50);
    await crashed;
    expect({ evicted: world.evicted.length, crashed: taken >= fatal }).toEqual({ evicted: 1, crashed: true });
    expect(world.pressures?.memory).toBe(true);
  });
});
