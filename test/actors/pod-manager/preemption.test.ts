import { describe, expect, it } from 'vitest';
import { allocationsIn } from '../../../actors/pod-manager/checkpoints/allocations.ts';
import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { MemoryFiles } from '../../simulation/node/memory-files.ts';
import type { PodParts } from '../../pod/pods.ts';
import { apiPod, asking, ManagerInCluster, managingInCluster } from './cluster-support.ts';
import { runtimePod } from './manager-support.ts';

const critical = (uid: string, cpu: string, parts: PodParts = {}): Pod =>
  apiPod(uid, { ...asking(cpu), priority: 2_000_000_000, ...parts });
const slow = (uid: string, cpu: string): Pod => apiPod(uid, { ...asking(cpu), terminationGracePeriodSeconds: 60 });

/** Two pods on a node of two processors; `a` has a grace period of a minute. */
function full(): ManagerInCluster {
  return managingInCluster(slow('a', '1500m'), apiPod('b', asking('500m')));
}

const ended = (uid: string) => ({ type: 'pod-terminated', podUid: podUid(uid), removed: false }) as const;

describe('a critical pod for which there is no room', () => {
  it('is admitted when its victims have ended: they are saved first, then evicted', () => {
    const manager = full();
    expect(manager.source('api', [critical('k', '2')])).toEqual([
      'to end for k: a b',
      'Preempting a',
      'Preempting b',
      'evict a in 60 s',
      'evict b in 1 s',
      'await k for 90000 ms',
    ]);
    expect(manager.tell(ended('a'))).toEqual([]);
    expect(manager.tell(ended('b'))).toEqual(['start k fresh', 'to end for k: nobody', 'sync k']);
  });

  it('is admitted once, also when their end is reported repeatedly', () => {
    const manager = full();
    manager.source('api', [critical('k', '500m')]);
    expect(manager.tell(ended('b'))).toEqual(['start k fresh', 'to end for k: nobody', 'sync k']);
    expect(manager.tell(ended('b'))).toEqual([]);
    expect(manager.removed('b')).not.toContain('start k fresh');
    expect(manager.tell({ type: 'preemption-overdue', podUid: podUid('k') })).toEqual([]);
  });

  it('is admitted when its victims exceed their grace period, with an event on each', () => {
    const manager = full();
    manager.source('api', [critical('k', '2')]);
    manager.tell(ended('b'));
    expect(manager.tell({ type: 'preemption-overdue', podUid: podUid('k') })).toEqual([
      'ExceededGracePeriod a',
      'start k fresh',
      'to end for k: nobody',
      'sync k',
    ]);
    expect(manager.tell(ended('a'))).toEqual([]);
  });

  it('reserves its resources from the choice of victims on, and leaves the rest to others', () => {
    const manager = managingInCluster(apiPod('a', asking('2')));
    manager.source('api', [critical('k', '1500m')]);
    expect(manager.source('api', [apiPod('small', asking('500m'))])).toEqual(['start small fresh', 'sync small']);
    expect(manager.source('api', [apiPod('more', asking('100m'))])).toContain('reject more OutOfcpu');
  });

  it('that is deleted during its preemption still ends its victims, and is not admitted', () => {
    const manager = full();
    manager.source('api', [critical('k', '500m')]);
    expect(manager.source('api', [], ['k'])).toEqual(['api-pod-gone k', 'to end for k: nobody', 'forget k']);
    expect(manager.tell(ended('b'))).toEqual([]);
    expect(manager.source('api', [apiPod('next', asking('500m'))])).toContain('start next fresh');
  });

  it('is rejected without victims if another check fails', () => {
    const manager = full();
    expect(manager.source('api', [critical('k', '2', { nodeSelector: { disk: 'ssd' } })])).toEqual(['read the node']);
    expect(manager.tell({ type: 'node-read', node: undefined })).toEqual(['reject k NodeAffinity', 'pod-finished k']);
    expect(
      manager.source('api', [critical('l', '2', { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } })]),
    ).toEqual(['reject l AppArmor', 'pod-finished l']);
  });

  it('is rejected without victims if preemption would not free enough', () => {
    expect(full().source('api', [critical('k', '5')])).toEqual(['reject k UnexpectedAdmissionError', 'pod-finished k']);
  });

  it('does not choose a pod that waits for victims itself', () => {
    const manager = full();
    manager.source('api', [critical('k', '2')]);
    expect(manager.source('api', [critical('higher', '2', { priority: 2_000_001_000 })])).toEqual([
      'reject higher UnexpectedAdmissionError',
      'pod-finished higher',
    ]);
  });

  it('waits for a pod that is already being evicted, without a new eviction', () => {
    const manager = full();
    const ending = { reason: 'Evicted', message: 'full', disruption: 'yes' } as const;
    manager.tell({ type: 'evict-pod', podUid: podUid('b'), gracePeriodSeconds: 1, ending });
    expect(manager.source('api', [critical('k', '500m')])).toEqual([
      'to end for k: b',
      'Preempting b',
      'await k for 10000 ms',
    ]);
    expect(manager.tell(ended('b'))).toContain('start k fresh');
  });
});

describe('a pod manager that takes over during a preemption', () => {
  /** The records of a manager that had chosen `b` and `a` for `k`. */
  const savedVictims = (uid: PodUid): readonly PodUid[] => (uid === 'k' ? [podUid('b'), podUid('a')] : []);
  const pods = [slow('a', '1500m'), apiPod('b', asking('500m')), apiPod('c', asking('2')), critical('k', '2')];
  const survey = (manager: ManagerInCluster, ...uids: readonly string[]) =>
    manager.tell({
      type: 'node-surveyed',
      runtimePods: uids.map((uid) => runtimePod(uid)),
      workers: uids.map(podUid),
      workersBefore: [],
    });

  it('ends the saved victims and no others, and admits the pod when they have ended', () => {
    const manager = new ManagerInCluster({ savedVictims });
    survey(manager, 'a', 'b', 'c');
    manager.node('4');
    manager.source('file', []);
    const told = manager.source('api', pods);
    expect(told.filter((word) => /^(evict|to end|start|await)/.test(word))).toEqual([
      'evict b in 1 s',
      'evict a in 60 s',
      'await k for 95000 ms',
    ]);
    manager.tell(ended('a'));
    expect(manager.tell(ended('b'))).toEqual(['start k fresh', 'to end for k: nobody', 'sync k']);
  });

  it('does not wait for a victim that has ended by then, and chooses no other', () => {
    const manager = new ManagerInCluster({ savedVictims });
    survey(manager, 'b', 'c');
    manager.node('4');
    manager.source('file', []);
    const told = manager.source('api', pods.slice(1));
    expect(told.filter((word) => word.startsWith('evict'))).toEqual(['evict b in 1 s']);
    expect(manager.tell(ended('b'))).toEqual(['start k fresh', 'to end for k: nobody', 'sync k']);
  });

  it('admits the pod at once if all victims have ended', () => {
    const manager = new ManagerInCluster({ savedVictims });
    survey(manager, 'c');
    manager.node('4');
    manager.source('file', []);
    const told = manager.source('api', pods.slice(2));
    expect(told.filter((word) => /^(evict|start k)/.test(word))).toEqual(['start k fresh']);
  });
});

describe('the victims of a pod, on disk', () => {
  const files = new MemoryFiles();
  const kept = allocationsIn('/var/lib/hivelet', files);
  const [K, A] = [podUid('k'), podUid('a')];

  it('are read back as written, and removed when empty', () => {
    expect(kept.readVictims(K)).toEqual([]);
    kept.writeVictims(K, [A]);
    expect(kept.readVictims(K)).toEqual([A]);
    kept.writeVictims(K, []);
    expect(kept.readVictims(K)).toEqual([]);
  });

  it.each(['', '["a"', '{"victims":["a"]}', '7', 'null'])('is empty if the file contains %j', (text) => {
    files.writeFile('/var/lib/hivelet/pods/k/preemption', text);
    expect(kept.readVictims(K)).toEqual([]);
  });
});
