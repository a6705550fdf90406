import { describe, expect, it } from 'vitest';
import { evictionFacts } from '../../../actors/pod-manager/admission/eviction-facts.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { filePod, Manager } from './manager-support.ts';

const evict = (uid: string) =>
  ({
    type: 'evict-pod',
    podUid: podUid(uid),
    gracePeriodSeconds: 5,
    ending: { reason: 'Evicted', message: 'full', disruption: 'yes' },
  }) as const;

function withPod(): Manager {
  const manager = new Manager();
  manager.survey();
  manager.source([filePod('a')]);
  return manager;
}

describe('an evicted pod', () => {
  it('is sent to its worker, and again to a restarted worker', () => {
    const manager = withPod();
    expect(manager.tell(evict('a'))).toEqual(['evict a in 5 s']);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual(['sync a', 'evict a in 5 s']);
  });

  it('stays ended when its definition changes', () => {
    const manager = withPod();
    manager.tell(evict('a'));
    manager.source([filePod('a', 'pod-a', { metadata: { labels: { changed: 'yes' } } })]);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual(['sync a', 'evict a in 5 s']);
  });

  it('has no effect if the pod has ended already, or is unknown', () => {
    const manager = withPod();
    manager.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect([manager.tell(evict('a')), manager.tell(evict('b'))]).toEqual([[], []]);
  });

  it('is still removed when its source drops it', () => {
    const manager = withPod();
    manager.tell(evict('a'));
    expect(manager.source([], ['a'])).toEqual(['terminate a']);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual([
      'sync a',
      'evict a in 5 s',
      'terminate a',
    ]);
  });
});

describe('the answer to the eviction manager', () => {
  const facts = (manager: Manager, of: 'all' | 'storage-limited' | readonly string[]) => {
    const { workers, surveyed: complete, nodeAdmission } = manager.state;
    const asked = typeof of === 'string' ? of : of.map(podUid);
    const { pods, ...rest } = evictionFacts({ workers, complete, pressures: nodeAdmission.pressures, of: asked });
    return { ...rest, pods: pods.map(({ metadata }) => metadata.uid) };
  };
  const plain = filePod('b');
  const volumes = [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }];
  const limited = { ...plain, spec: { ...plain.spec, volumes } };

  it('is incomplete before the node was surveyed', () => {
    expect(facts(new Manager(), 'all').complete).toBe(false);
  });

  it('names running pods, pods with storage limits, and pods being evicted', () => {
    const manager = withPod();
    manager.source([limited]);
    manager.tell(evict('a'));
    const known = { complete: true, evicting: ['a'], pressures: undefined };
    expect(facts(manager, 'all')).toEqual({ ...known, there: ['a', 'b'], pods: ['a', 'b'] });
    expect(facts(manager, 'storage-limited')).toEqual({ ...known, there: ['b'], pods: ['b'] });
    expect(facts(manager, ['a', 'x'])).toEqual({ ...known, there: ['a'], pods: ['a'] });
    manager.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect(facts(manager, ['a'])).toEqual({ ...known, evicting: [], there: [], pods: [] });
  });

  it('names a pod whose spec is not known yet', () => {
    const manager = new Manager();
    manager.survey([], ['a']);
    expect(facts(manager, ['a'])).toMatchObject({ complete: true, there: ['a'], pods: [] });
  });

  it('has the last reported pressures', () => {
    const manager = withPod();
    const pressures = { memory: true, disk: false, pid: false };
    manager.tell({ type: 'pressures-observed', pressures });
    expect(facts(manager, 'all').pressures).toEqual(pressures);
  });
});
