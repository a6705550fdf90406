import { describe, expect, it } from 'vitest';
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

describe('a pod that the node ends', () => {
  it('is told to its worker, and again to one that has started anew', () => {
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

  it('that has ended already, or that nobody knows, needs nothing', () => {
    const manager = withPod();
    manager.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect([manager.tell(evict('a')), manager.tell(evict('b'))]).toEqual([[], []]);
  });

  it('still goes when nobody wants it any more', () => {
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
