import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContainerState } from '../../../src/cri/gen/api.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { InspectionResult, ToInspect } from '../../../actors/pleg/pod-records.ts';
import { containerToInspect, RecordsOfRuntime } from './records.ts';

const { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED, CONTAINER_UNKNOWN } = ContainerState;
const pod = podUid('p');

/** Pod `p` with container `c` running, all of it known. */
function running(): RecordsOfRuntime {
  const it = new RecordsOfRuntime();
  it.cri.run('p', 'c');
  it.relist();
  return it;
}

describe('a relist', () => {
  const states = {
    created: CONTAINER_CREATED,
    running: CONTAINER_RUNNING,
    exited: CONTAINER_EXITED,
    unknown: CONTAINER_UNKNOWN,
  };
  it.each([
    { old: 'running', now: 'running', inspections: 0, change: [] },
    { old: 'created', now: 'running', inspections: 1, change: ['changed'] },
    { old: 'running', now: 'exited', inspections: 1, change: ['changed'] },
    { old: 'running', now: 'unknown', inspections: 1, change: ['changed'] },
    { old: 'exited', now: 'exited', inspections: 0, change: [] },
    { old: 'exited', now: 'gone', inspections: 1, change: ['changed'] },
    { old: 'running', now: 'gone', inspections: 1, change: ['changed'] },
    { old: 'gone', now: 'running', inspections: 1, change: ['changed'] },
    { old: 'gone', now: 'exited', inspections: 1, change: ['changed'] },
  ] satisfies {
    old: keyof typeof states | 'gone';
    now: keyof typeof states | 'gone';
    inspections: number;
    change: string[];
  }[])(
    'that finds a container $now which was $old inspections $inspections times: $change',
    ({ old, now, inspections, change }) => {
      const it = new RecordsOfRuntime();
      it.cri.run('p');
      if (old !== 'gone') it.cri.create('p', 'c', states[old]);
      it.relist();
      // A second relist without changes confirms the first.
      expect(it.relist()).toEqual([]);
      if (now === 'gone') it.cri.remove('c');
      else it.cri.create('p', 'c', states[now]);
      const asked = it.takeList();
      expect(asked.length).toBe(inspections);
      expect(asked.map((each) => it.takeInspection(each))).toEqual(change);
      expect(it.known).toEqual(it.known.filter((each) => each !== 'c gone'));
      expect(it.statesOf(pod).includes(`c ${now}`)).toBe(now !== 'gone');
    },
  );

  it('reports pods that appear and vanish', () => {
    const it = new RecordsOfRuntime();
    it.cri.run('p', 'c');
    expect(it.relist()).toEqual(['appeared']);
    it.cri.removePod('p');
    expect(it.relist()).toEqual(['vanished']);
    expect(it.records.names).toEqual([]);
  });

  it('inspects a pod once, with all its changed objects', () => {
    const it = new RecordsOfRuntime();
    it.cri.run('p', 'c', 'd');
    it.cri.run('q', 'e');
    expect(it.takeList().map(({ podUid: uid, containers }) => [uid, containers.map(([id]) => id)])).toEqual([
      ['p', ['c', 'd']],
      ['q', ['e']],
    ]);
  });

  it('lists every pod at once, even before its inspection', () => {
    const it = new RecordsOfRuntime();
    it.cri.run('p', 'c');
    it.cri.run('q');
    it.takeList();
    expect(it.records.names.map(({ podUid: uid }) => uid)).toEqual(['p', 'q']);
    expect(it.records.isWhole(pod)).toBe(false);
  });

  it('ignores objects that no kubelet made', () => {
    const it = new RecordsOfRuntime();
    it.cri.sandboxes.set('someones', { pod: 'someones', ready: true, foreign: true });
    expect(it.relist()).toEqual([]);
    expect(it.records.names).toEqual([]);
  });

  it('keeps a sandbox that was missing from one list and still exists', () => {
    const it = running();
    const before = it.list();
    it.cri.containers.delete('c');
    const without = { ...it.list(), at: before.at + 2 };
    it.cri.create('p', 'c', CONTAINER_RUNNING);
    it.now += 2;
    for (const asked of it.takeList(without)) it.takeInspection(asked);
    expect(it.records.status(pod)?.containers[0]?.sandboxId).toBe('p-s');
  });
});

describe('a pod removed between the list of containers and the list of sandboxes', () => {
  it('has the containers of its sandbox inspected as well', () => {
    const it = running();
    const { containers } = it.list();
    it.cri.removePod('p');
    const [asked, ...others] = it.takeList({ ...it.list(), containers });
    expect(asked).toMatchObject({ sandboxes: ['p-s'], containers: [['c', 'p-s']] });
    expect(others).toEqual([]);
    expect(asked && it.takeInspection(asked)).toBe('vanished');
  });
});

describe('a failed inspection', () => {
  it('is repeated with every relist until it succeeds, even if the list is unchanged', () => {
    const it = running();
    it.cri.exit('c');
    for (let round = 0; round < 3; round++) {
      const asked = it.takeList();
      expect(asked.flatMap(({ containers }) => containers.map(([id]) => id))).toEqual(['c']);
      for (const each of asked) it.records.inspectionEnded(each);
    }
    expect(it.statesOf(pod)).toContain('c running');
    expect(it.relist()).toEqual(['changed']);
    expect(it.statesOf(pod)).toContain('c exited');
    expect(it.relist()).toEqual([]);
  });

  it('is not begun twice, and does not hold up the other objects of the pod', () => {
    const it = running();
    it.cri.exit('c');
    const [hanging] = it.takeList();
    it.cri.create('p', 'd', CONTAINER_RUNNING);
    expect(it.takeList().map(({ containers }) => containers.map(([id]) => id))).toEqual([['d']]);
    expect(it.takeList()).toEqual([]);
    if (hanging !== undefined) it.takeInspection(hanging);
    expect(it.statesOf(pod)).toContain('c exited');
  });

  it('of a removed pod finally reports that the pod has vanished', () => {
    const it = new RecordsOfRuntime();
    it.cri.run('p');
    for (const each of it.takeList()) it.records.inspectionEnded(each);
    it.cri.removePod('p');
    expect(it.relist()).toEqual(['vanished']);
    expect(it.records.names).toEqual([]);
  });
});

describe('inspections and events that overtake each other', () => {
  it('keep the newer inspection', () => {
    const it = running();
    const early = it.inspect(containerToInspect('p', 'c'));
    it.cri.exit('c');
    expect(it.records.take(it.inspect(containerToInspect('p', 'c')), 'inspection')).toBe('changed');
    expect(it.records.take(early, 'inspection')).toBe('none');
    expect(it.statesOf(pod)).toContain('c exited');
  });

  it('accept an event with a newer state', () => {
    const it = running();
    it.cri.exit('c');
    expect(it.takeEvent(it.event('c', 'stopped'))).toBe('changed');
    expect(it.statesOf(pod)).toContain('c exited');
  });

  it('ignore an event from before the latest inspection', () => {
    const it = running();
    const started = it.event('c', 'started');
    it.cri.exit('c');
    it.relist();
    expect(it.takeEvent(started)).toBe('none');
  });

  it('ignore an event with an earlier state, even if its timestamp is newer', () => {
    const it = running();
    const started = it.event('c', 'started');
    it.cri.exit('c');
    it.relist();
    expect(it.takeEvent({ ...started, at: it.now + 1_000 })).toBe('none');
    expect(it.statesOf(pod)).toContain('c exited');
  });

  it('forget a container deleted by an event, and one whose deletion was not reported', () => {
    const it = running();
    it.cri.create('p', 'd', CONTAINER_RUNNING);
    it.takeEvent(it.event('d', 'started'));
    const deleted = it.event('c', 'deleted');
    it.cri.remove('c');
    it.takeEvent(deleted);
    expect(it.statesOf(pod)).toEqual(['p-s ready', 'd running']);
    it.cri.remove('d');
    it.relist();
    expect(it.known).toEqual(['p-s ready']);
  });

  it('forget a pod that existed only between two relists and in events', () => {
    const it = new RecordsOfRuntime();
    it.relist();
    it.cri.run('p', 'c');
    expect(it.takeEvent(it.event('c', 'started'))).toBe('appeared');
    it.cri.removePod('p');
    expect(it.relist()).toEqual(['vanished']);
  });

  it.each(['inspection', 'event'] as const)('never restore a removed container by a late %s', (source) => {
    const it = running();
    const late: InspectionResult =
      source === 'inspection' ? it.inspect(containerToInspect('p', 'c')) : it.event('c', 'stopped');
    it.cri.remove('c');
    it.relist();
    expect(it.records.take(late, source)).toBe('none');
    expect(it.statesOf(pod)).toEqual(['p-s ready']);
    it.relist();
    expect(it.statesOf(pod)).toEqual(['p-s ready']);
  });

  it('do not apply an older list to objects that a worker has just removed or created', () => {
    const it = running();
    const old = it.list();
    it.cri.remove('c');
    it.cri.create('p', 'd', CONTAINER_RUNNING);
    for (const id of ['c', 'd']) it.records.take(it.inspect(containerToInspect('p', id)), 'inspection');
    expect(it.takeList(old)).toEqual([]);
    expect(it.statesOf(pod)).toEqual(['p-s ready', 'd running']);
    expect(it.takeList()).toEqual([]);
  });

  it('inspect an object again that a later list names although it was reported as gone', () => {
    const it = running();
    const [, container] = [...it.cri.containers][0] ?? [];
    it.cri.remove('c');
    it.relist();
    if (container !== undefined) it.cri.containers.set('c', container);
    it.relist();
    expect(it.statesOf(pod)).toContain('c running');
  });
});

describe("a pod's addresses", () => {
  it('are kept while no sandbox is ready, and forgotten with the pod', () => {
    const it = running();
    expect(it.records.status(pod)?.ips).toEqual(['10.0.0.1']);
    it.cri.stopSandbox('p');
    it.relist();
    expect(it.records.status(pod)?.ips).toEqual(['10.0.0.1']);
    it.cri.removePod('p');
    it.relist();
    expect(it.records.status(pod)).toBeUndefined();
  });
});

describe('any interleaving of runtime changes with relists, inspections and events', () => {
  type Step =
    | {
        readonly do: 'run' | 'create' | 'start' | 'exit' | 'stop-sandbox' | 'remove' | 'remove-pod';
        readonly n: number;
      }
    | { readonly do: 'list' | 'look' | 'event' | 'touch'; readonly n: number; readonly skew: number }
    | { readonly do: 'arrive' | 'fail' | 'lose'; readonly n: number };
  const n = fc.nat(5);
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({
      do: fc.constantFrom('run', 'create', 'start', 'exit', 'stop-sandbox', 'remove', 'remove-pod'),
      n,
    }),
    fc.record({ do: fc.constantFrom('list', 'event', 'touch'), n, skew: fc.integer({ min: -5, max: 5 }) }),
    fc.record({ do: fc.constantFrom('arrive', 'fail', 'lose'), n }),
  ) as fc.Arbitrary<Step>;

  const history = fc.array(step, { maxLength: 60, size: 'max' });

  /** Plays the steps. Answers of the runtime arrive when a step delivers them, in any order. */
  function play(steps: readonly Step[]): RecordsOfRuntime {
    const it = new RecordsOfRuntime();
    const { cri } = it;
    const pods = ['p', 'q'];
    const underWay: { readonly arrive: () => void; readonly fail?: () => void }[] = [];
    const ids = new Set<string>();
    let made = 0;
    const ask = (asked: readonly ToInspect[]): void => {
      for (const each of asked) {
        const look = it.inspect(each);
        underWay.push({
          arrive: () => void it.takeInspection(each, look),
          fail: () => it.records.inspectionEnded(each),
        });
      }
    };
    let listUnderWay = false;
    for (const each of steps) {
      const uid = pods[each.n % 2] ?? 'p';
      const id = [...cri.containers.keys()][each.n % Math.max(1, cri.containers.size)];
      switch (each.do) {
        case 'run':
          // IDs of runtimes are never used twice.
          if (!cri.sandboxes.has(`${uid}-s`) && !ids.has(uid)) cri.run(uid);
          ids.add(uid);
          break;
        case 'create':
          if (cri.sandboxes.has(`${uid}-s`)) cri.create(uid, `c${made++}`);
          break;
        case 'start':
          if (id !== undefined && cri.containers.get(id)?.state === CONTAINER_CREATED) cri.start(id);
          break;
        case 'exit':
          if (id !== undefined) cri.exit(id);
          break;
        case 'stop-sandbox':
          cri.stopSandbox(uid);
          break;
        case 'remove':
          if (id !== undefined) cri.remove(id);
          break;
        case 'remove-pod':
          cri.removePod(uid);
          break;
        case 'list': {
          if (listUnderWay) break;
          listUnderWay = true;
          const list = it.list();
          const over = (): void => void (listUnderWay = false);
          underWay.push({ arrive: () => (over(), ask(it.takeList(list))), fail: over });
          break;
        }
        case 'event': {
          if (id === undefined) break;
          const at = ++it.now;
          // Its clock may be off.
          const look = { ...it.event(id, 'started', at), at: at + each.skew };
          underWay.push({ arrive: () => void it.takeEvent(look), fail: () => {} });
          break;
        }
        case 'touch': {
          if (id === undefined) break;
          const look = it.inspect(containerToInspect(cri.containers.get(id)?.pod ?? uid, id));
          underWay.push({ arrive: () => void it.records.take(look, 'inspection'), fail: () => {} });
          break;
        }
        default: {
          const [arrived] = underWay.splice(each.n % Math.max(1, underWay.length), 1);
          if (each.do === 'arrive') arrived?.arrive();
          else arrived?.fail?.();
        }
      }
    }
    while (underWay.length > 0) underWay.shift()?.arrive();
    it.now += 10;
    return it;
  }

  it('gives the state of the runtime after one more relist', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const it = play(steps);
        it.relist();
        expect(it.known).toEqual(it.actual);
        const pods = new Set([...it.cri.sandboxes.values()].map(({ pod: each }) => each));
        expect(new Set(it.records.names.map(({ podUid: uid }) => String(uid)))).toEqual(pods);
        for (const uid of pods) expect(it.records.isWhole(podUid(uid))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('settles: another relist inspects nothing, and nothing is in doubt', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const it = play(steps);
        it.relist();
        expect(it.relist()).toEqual([]);
        expect([...it.records.inDoubt]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
