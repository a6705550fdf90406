import { describe, expect, it } from 'vitest';
import type { EvictionManagerProtocol, Leftovers } from '../../../actors/eviction-manager/protocol.ts';
import { decide, initialState, type EvictionEffect } from '../../../actors/eviction-manager/state.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { NodeFigures } from '../../../src/node/eviction/figures.ts';
import type { Threshold } from '../../../src/node/eviction/thresholds.ts';
import { apiPod, figures, MI, staticPod } from '../../node/eviction/eviction-fixtures.ts';

const hard: Threshold = { signal: 'memory.available', value: '100Mi', graceMs: 0, minReclaim: undefined };
const soft: Threshold = { ...hard, value: '200Mi', graceMs: 60_000 };
const disk: Threshold = { signal: 'nodefs.available', value: '10%', graceMs: 0, minReclaim: '5%' };

const shortNames = (effect: EvictionEffect): string => {
  switch (effect.type) {
    case 'resume':
      return `resume in ${effect.afterMs}`;
    case 'wait-for-pass':
      return `pass in ${effect.afterMs}`;
    case 'observe-node':
    case 'find-candidates':
      return effect.type;
    case 'tell-pressures': {
      const { memory, disk: onDisk, pid } = effect.pressures;
      return `short of ${[memory && 'memory', onDisk && 'disk', pid && 'pids'].filter(Boolean).join('+') || 'nothing'}`;
    }
    case 'tell-attempt':
      return `attempt ${effect.resource}`;
    case 'reclaim':
      return effect.steps.join('+');
    case 'count-stats-age':
      return 'count age';
    case 'evict':
      return `evict ${effect.victim.pod.metadata.uid} in ${effect.victim.graceSeconds} s for ${effect.victim.signal}`;
    case 'evict-again':
      return `evict ${effect.victim.pod.metadata.uid} again`;
    case 'find-leftovers':
      return `leftovers of ${effect.of.join('+')} in ${effect.afterMs}`;
    default:
      return assertNever(effect, 'effect');
  }
};

/** A manager's state, with effects in a few words. Every message belongs to the current pass. */
class Manager {
  now = 1_000_000;
  #state = initialState;
  readonly #thresholds: readonly Threshold[];

  constructor(...thresholds: readonly Threshold[]) {
    this.#thresholds = thresholds;
  }

  tell(command: EvictionManagerProtocol['command']): readonly string[] {
    const { next, effects } = decide(this.#state, command, {
      thresholds: this.#thresholds,
      transitionMs: 300_000,
      maxPodGraceSeconds: 20,
      storageLimits: true,
      now: this.now,
    });
    this.#state = next;
    return effects.map(shortNames);
  }

  get pass(): number {
    return this.#state.pass;
  }

  resumed(evicting: readonly string[] = [], pressures?: { memory: boolean; disk: boolean; pid: boolean }) {
    return this.tell({ type: 'resumed', left: { evicting: evicting.map(podUid), pressures } });
  }

  passDue(): readonly string[] {
    return this.tell({ type: 'pass-due', pass: this.pass });
  }

  observed(node: NodeFigures, limited: readonly (readonly [Pod, ReturnType<typeof figures>])[] = []) {
    return this.tell({
      type: 'signals-observed',
      pass: this.pass,
      observation: { node, fileSystems: 'single', limited: limited.map(([pod, own]) => ({ pod, figures: own })) },
    });
  }

  reclaimed(node: NodeFigures | undefined): readonly string[] {
    return this.tell({ type: 'reclaimed', pass: this.pass, node });
  }

  found(pods: readonly (readonly [Pod, ReturnType<typeof figures>])[], evicting: readonly string[] = []) {
    return this.tell({
      type: 'candidates-found',
      pass: this.pass,
      candidates: { pods: pods.map(([pod, own]) => ({ pod, figures: own })), evicting: evicting.map(podUid) },
    });
  }

  answered(uid: string, ended = true): readonly string[] {
    return this.tell({ type: 'eviction-answered', pass: this.pass, podUid: podUid(uid), ended });
  }

  left(left: readonly string[], forgotten: readonly string[] = []): readonly string[] {
    const leftovers: Leftovers = { left: left.map(podUid), forgotten: forgotten.map(podUid) };
    return this.tell({ type: 'leftovers-found', pass: this.pass, leftovers });
  }
}

/** Figures without an instant: they count as measured just now. */
const free = (mib: number): NodeFigures => ({
  memory: { availableBytes: mib * MI, workingSetBytes: (1_000 - mib) * MI },
});
const diskFree = (percent: number): NodeFigures => ({ fs: { availableBytes: percent * MI, capacityBytes: 100 * MI } });
const using = (uid: string, mib: number, pod = apiPod(uid)) => [pod, figures(uid, { memory: mib * MI })] as const;

/** A manager whose first pass has begun. */
function observing(...thresholds: readonly Threshold[]): Manager {
  const manager = new Manager(...thresholds);
  manager.resumed();
  manager.passDue();
  return manager;
}

describe('a pass of the eviction manager', () => {
  it('starts the next pass after ten seconds when the node has enough', () => {
    const manager = new Manager(hard);
    expect(manager.resumed()).toEqual(['pass in 0']);
    expect(manager.passDue()).toEqual(['observe-node']);
    expect(manager.observed(free(500))).toEqual(['short of nothing', 'pass in 10000']);
  });

  it('evicts one pod when memory is short, waits until it has ended, and starts the next pass at once', () => {
    const manager = observing(hard);
    expect(manager.observed(free(50))).toEqual(['short of memory', 'attempt memory', 'find-candidates']);
    expect(manager.found([using('a', 10), using('b', 20)])).toEqual([
      'count age',
      'evict b in 1 s for memory.available',
    ]);
    expect(manager.answered('b')).toEqual(['leftovers of b in 0']);
    expect(manager.left(['b'])).toEqual(['leftovers of b in 1000']);
    expect(manager.left([])).toEqual(['observe-node']);
    expect(manager.observed(free(500))).toEqual(['short of memory', 'pass in 10000']);
  });

  it('gives a pod evicted by a soft threshold its own grace period, up to the maximum', () => {
    const given = (seconds: number) => apiPod('a', { spec: { terminationGracePeriodSeconds: seconds } });
    for (const [seconds, expected] of [
      [5, 5],
      [600, 20],
    ] as const) {
      const manager = observing(soft);
      expect(manager.observed(free(150))).toEqual(['short of memory', 'pass in 10000']);
      manager.now += 60_000;
      manager.passDue();
      expect(manager.observed(free(150))).toContain('find-candidates');
      expect(manager.found([using('a', 1, given(seconds))])).toContain(`evict a in ${expected} s for memory.available`);
    }
  });

  it('reclaims node resources before it evicts a pod for disk', () => {
    const manager = observing(disk);
    const reclaim = 'delete-unused-containers+delete-unused-images';
    expect(manager.observed(diskFree(9))).toEqual(['short of disk', 'attempt ephemeral-storage', reclaim]);
    expect(manager.reclaimed(diskFree(15))).toEqual(['pass in 10000']);
  });

  it.each([
    { rule: 'less than the minimum reclaim was freed', after: diskFree(14) },
    { rule: 'the freed amount is unknown', after: undefined },
  ])('evicts after all when $rule', ({ after }) => {
    const manager = observing(disk);
    manager.observed(diskFree(9));
    expect(manager.reclaimed(after)).toEqual(['find-candidates']);
    expect(manager.found([[apiPod('a'), figures('a', { rootfs: MI })]])).toContain(
      'evict a in 1 s for nodefs.available',
    );
  });

  it('evicts all pods above their own limits, and then no others', () => {
    const manager = observing(hard);
    const over = (uid: string) =>
      [
        apiPod(uid, { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] }),
        figures(uid, { volume: { v: 2 * MI } }),
      ] as const;
    expect(manager.observed(free(50), [over('a'), over('b')])).toEqual([
      'short of memory',
      'evict a in 1 s for emptydirfs.limit',
      'evict b in 1 s for emptydirfs.limit',
    ]);
    expect(manager.answered('a')).toEqual([]);
    expect(manager.answered('b')).toEqual(['leftovers of a+b in 0']);
  });

  it('evicts no critical pod', () => {
    const manager = observing(hard);
    manager.observed(free(50));
    const critical = apiPod('b', { priority: 2_000_000_000 });
    expect(manager.found([using('a', 500, staticPod('a')), using('b', 500, critical)])).toEqual(['pass in 10000']);
  });

  it('decides nothing without figures or without the running pods', () => {
    const manager = observing(hard);
    expect(manager.tell({ type: 'signals-observed', pass: manager.pass, observation: undefined })).toEqual([
      'pass in 10000',
    ]);
    manager.passDue();
    manager.observed(free(50));
    expect(manager.tell({ type: 'candidates-found', pass: manager.pass, candidates: undefined })).toEqual([
      'pass in 10000',
    ]);
  });

  it('starts at once, and only once, when memory runs low between two passes', () => {
    const manager = observing(hard);
    manager.observed(free(500));
    const pass = manager.pass;
    expect(manager.tell({ type: 'memory-low' })).toEqual(['observe-node']);
    expect(manager.tell({ type: 'memory-low' })).toEqual([]);
    expect(manager.tell({ type: 'pass-due', pass })).toEqual([]);
  });

  it('ignores late answers to an earlier pass', () => {
    const manager = observing(hard);
    const late = {
      type: 'signals-observed',
      pass: manager.pass,
      observation: { node: free(1), fileSystems: 'single', limited: [] },
    } as const;
    manager.observed(free(500));
    expect(manager.tell(late)).toEqual([]);
  });
});

describe('an evicted pod', () => {
  function evicting(): Manager {
    const manager = observing(hard);
    manager.observed(free(50));
    manager.found([using('a', 20), using('b', 10)]);
    return manager;
  }

  it('is evicted again when the pod manager has lost the eviction', () => {
    const manager = evicting();
    manager.answered('a', false);
    expect(manager.left(['a'], ['a'])).toEqual(['evict a again', 'leftovers of a in 1000']);
  });

  it('is awaited while its state is unknown', () => {
    const manager = evicting();
    manager.answered('a');
    expect(manager.tell({ type: 'leftovers-found', pass: manager.pass, leftovers: undefined })).toEqual([
      'leftovers of a in 1000',
    ]);
  });

  it('delays other evictions by thirty seconds at most, and is not evicted twice', () => {
    const manager = evicting();
    manager.answered('a', false);
    manager.now += 30_000;
    expect(manager.left(['a'])).toEqual(['observe-node']);
    manager.observed(free(50));
    expect(manager.found([using('a', 20), using('b', 10)], ['a'])).toContain('evict b in 1 s for memory.available');
  });

  it('that another actor evicts is awaited as well', () => {
    const manager = observing(hard);
    manager.observed(free(50));
    expect(manager.found([using('a', 20), using('b', 10)], ['b'])).toEqual(['leftovers of b in 1000']);
    expect(manager.left([])).toEqual(['observe-node']);
  });
});

describe('a restarted eviction manager', () => {
  it('asks until it knows the evictions of its predecessor', () => {
    const manager = new Manager(hard);
    expect(manager.tell({ type: 'resumed', left: undefined })).toEqual(['resume in 1000']);
    expect(manager.passDue()).toEqual([]);
  });

  it('waits for the pod that its predecessor evicted', () => {
    const manager = new Manager(hard);
    expect(manager.resumed(['a'])).toEqual(['leftovers of a in 1000']);
    expect(manager.passDue()).toEqual([]);
    expect(manager.left([])).toEqual(['observe-node']);
  });

  it('keeps conditions for the transition period', () => {
    const manager = new Manager(hard);
    manager.resumed([], { memory: false, disk: true, pid: false });
    manager.passDue();
    expect(manager.observed(free(500))[0]).toBe('short of disk');
    manager.now += 300_000;
    manager.passDue();
    expect(manager.observed(free(500))[0]).toBe('short of nothing');
  });

  it("reports the node's pressures again to a restarted pod manager, once they are known", () => {
    const manager = observing(hard);
    expect(manager.tell({ type: 'report-pressures' })).toEqual([]);
    manager.observed(free(50));
    expect(manager.tell({ type: 'report-pressures' })).toEqual(['short of memory']);
  });
});
