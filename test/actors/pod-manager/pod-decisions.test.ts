import { describe, expect, it } from 'vitest';
import { podUid } from '../../../src/kube/ids.ts';
import { container } from '../../pod/pods.ts';
import { filePod, Manager, managing, runtimePod } from './manager-support.ts';

describe('a source', () => {
  it('that adds a pod gets a worker for it, once the node was surveyed', () => {
    const manager = new Manager();
    expect(manager.source([filePod('a')])).toEqual([]);
    expect(manager.survey()).toEqual(['start a fresh', 'sync a']);
    expect(manager.source([filePod('b')])).toEqual(['start b fresh', 'sync b']);
  });

  it('that repeats itself changes nothing', () => {
    const manager = managing(filePod('a'));
    const seen = { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.seen': '2030-01-01T00:00:00Z' };
    expect(manager.source([filePod('a', 'pod-a', { metadata: { annotations: seen } })])).toEqual([]);
  });

  it.each([
    { rule: 'its spec', changed: filePod('a', 'pod-a', { containers: [container('main', { image: 'other:2' })] }) },
    { rule: 'a label', changed: filePod('a', 'pod-a', { metadata: { labels: { tier: 'back' } } }) },
    {
      rule: 'its deletion',
      changed: filePod('a', 'pod-a', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
    },
    {
      rule: 'an annotation of the user',
      changed: filePod('a', 'pod-a', {
        metadata: { annotations: { 'kubernetes.io/config.source': 'file', team: 'x' } },
      }),
    },
  ])('that changes $rule causes another sync of the pod', ({ changed }) => {
    expect(managing(filePod('a')).source([changed])).toEqual(['sync a']);
  });

  it('that drops a pod removes it before pods of the same message are added', () => {
    const manager = managing(filePod('a'));
    expect(manager.source([filePod('b')], ['a'])).toEqual(['terminate a', 'start b fresh', 'sync b']);
    expect(manager.removed('a')).toEqual(['forget a']);
  });

  it('that drops a pod it never named changes nothing', () => {
    expect(managing(filePod('a')).source([], ['zzz'])).toEqual([]);
  });

  it('that wants a terminating pod again gets the pod when nothing of the old one is left', () => {
    const manager = managing(filePod('a'));
    manager.source([], ['a']);
    expect(manager.source([filePod('a')])).toEqual(['sync a']);
    expect(manager.removed('a')).toEqual(['forget a', 'start a fresh', 'sync a']);
  });

  it('that restarts drops pods it does not name again, once it has named all', () => {
    const manager = managing(filePod('a'), filePod('b'));
    manager.newSession();
    expect(manager.source([filePod('c')], [], false)).toEqual(['start c fresh', 'sync c']);
    expect(manager.source([filePod('b')], [], true)).toEqual(['terminate a']);
  });

  it('that lost a message is asked for everything, and nothing is concluded before', () => {
    const manager = managing(filePod('a'));
    const part = { type: 'source-changed', source: 'file', session: [1, 1], gone: [], set: [filePod('b')] } as const;
    expect(manager.tell({ ...part, session: [1, 0], number: 4, complete: true })).not.toContain('sync b');
    expect(manager.tell({ ...part, session: [2, 0], number: 2, complete: true })).toEqual(['ask file']);
    expect(manager.tell({ ...part, session: [2, 1], number: 1, complete: false })).toEqual(['start b fresh', 'sync b']);
    // An earlier session’s beginning, late.
    expect(manager.tell({ ...part, session: [2, 0], number: 1, complete: true })).toEqual([]);
    expect(manager.tell({ ...part, session: [2, 1], number: 2, complete: true })).toEqual(['terminate a']);
    // The same once more.
    expect(manager.tell({ ...part, session: [2, 1], number: 2, complete: true })).toEqual([]);
  });

  it('is ignored before the first message of its session', () => {
    const manager = new Manager();
    manager.survey([runtimePod('x')]);
    const part = { type: 'source-changed', source: 'file', session: [1, 1], number: 2, gone: [] } as const;
    expect(manager.tell({ ...part, set: [filePod('a')], complete: true })).toEqual(['ask file']);
    // So the manager must not conclude from a part that the other pod is unwanted.
    expect(manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('y') })).toEqual([]);
  });
});

describe('a full name', () => {
  it('is held by one pod until nothing of it is left', () => {
    const manager = managing(filePod('old', 'web'));
    expect(manager.source([filePod('new', 'web')], ['old'])).toEqual(['terminate old']);
    expect(manager.removed('old')).toEqual(['forget old', 'start new fresh', 'sync new']);
  });

  it('goes to the pod that has waited for it last', () => {
    const manager = managing(filePod('1', 'web'));
    manager.source([filePod('2', 'web')], ['1']);
    manager.source([filePod('3', 'web')]);
    expect(manager.removed('1')).toEqual(['forget 1', 'start 3 fresh', 'sync 3']);
    // The earlier pod is still wanted: it starts when the current pod is gone.
    manager.source([], ['3']);
    expect(manager.removed('3')).toEqual(['forget 3', 'start 2 fresh', 'sync 2']);
  });

  it('is not kept for a pod that is no longer wanted', () => {
    const manager = managing(filePod('1', 'web'));
    manager.source([filePod('2', 'web')], ['1']);
    manager.source([], ['2']);
    expect(manager.removed('1')).toEqual(['forget 1']);
  });

  it('is held by each pod in the runtime with that name', () => {
    const manager = new Manager();
    manager.survey([runtimePod('old', 'web'), runtimePod('older', 'web')]);
    expect(manager.source([filePod('new', 'web')])).toEqual([
      'start old maybe-running',
      'terminate-runtime old',
      'start older maybe-running',
      'terminate-runtime older',
    ]);
    expect(manager.removed('old')).toEqual(['forget old']);
    expect(manager.removed('older')).toEqual(['forget older', 'start new fresh', 'sync new']);
  });

  it('is free when an unmanaged pod vanishes from the runtime', () => {
    const manager = new Manager();
    manager.survey([runtimePod('old', 'web')]);
    expect(manager.source([filePod('new', 'web')], [], false)).toEqual([]);
    expect(manager.tell({ type: 'runtime-pod-vanished', podUid: podUid('old') })).toEqual([
      'start new fresh',
      'sync new',
    ]);
  });

  it('of the same pod in another namespace is another', () => {
    const elsewhere = filePod('b', 'web', { metadata: { namespace: 'other' } });
    expect(managing(filePod('a', 'web')).source([elsewhere])).toEqual(['start b fresh', 'sync b']);
  });
});

describe('a pod in the runtime', () => {
  it('continues when a source wants it', () => {
    const manager = new Manager();
    manager.source([filePod('a')]);
    expect(manager.survey([runtimePod('a')])).toEqual(['start a maybe-running', 'sync a']);
  });

  it('stays until the sources have named all their pods, and is then removed', () => {
    const manager = new Manager();
    expect(manager.survey([runtimePod('a'), runtimePod('x')])).toEqual([]);
    expect(manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('y') })).toEqual([]);
    expect(manager.source([filePod('a')], [], false)).toEqual(['start a maybe-running', 'sync a']);
    expect(manager.source([])).toEqual([
      'start x maybe-running',
      'terminate-runtime x',
      'start y maybe-running',
      'terminate-runtime y',
    ]);
  });

  it('always stays until the node was surveyed', () => {
    const manager = new Manager();
    manager.source([]);
    expect(manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('x') })).toEqual([]);
    expect(manager.survey([runtimePod('x')])).toEqual(['start x maybe-running', 'terminate-runtime x']);
  });

  it('is removed once when it appears later and no source wants it', () => {
    const manager = managing();
    const appeared = { type: 'runtime-pod-appeared', ...runtimePod('x') } as const;
    expect(manager.tell(appeared)).toEqual(['start x maybe-running', 'terminate-runtime x']);
    expect(manager.tell(appeared)).toEqual([]);
  });

  it('is left to its worker if there is a worker', () => {
    const manager = managing(filePod('a'));
    expect(manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('a') })).toEqual([]);
    expect(manager.tell({ type: 'runtime-pod-vanished', podUid: podUid('a') })).toEqual([]);
  });
});

describe('the workers of an earlier manager', () => {
  it('continue with desired pods; the others terminate once all desired pods are known', () => {
    const manager = new Manager();
    manager.source([filePod('a')], [], false);
    expect(manager.survey([runtimePod('a'), runtimePod('x')], ['a', 'x', 'y'])).toEqual(['sync a']);
    expect(manager.source([])).toEqual(['terminate-runtime x', 'terminate-runtime y']);
  });

  it('do not terminate for a restart before the sources have named all their pods', () => {
    const manager = new Manager();
    manager.survey([runtimePod('a')], ['a']);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual([]);
    expect(manager.source([filePod('a')])).toEqual(['sync a']);
  });

  it('hold the names of their pods', () => {
    const manager = new Manager();
    manager.survey([runtimePod('old', 'web')], ['old']);
    expect(manager.source([filePod('new', 'web')])).toEqual(['terminate-runtime old']);
    expect(manager.removed('old')).toEqual(['forget old', 'start new fresh', 'sync new']);
  });
});

describe('a restarted worker', () => {
  it('gets its pod again', () => {
    expect(managing(filePod('a')).tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual(['sync a']);
  });

  it('continues to remove its pod', () => {
    const manager = managing(filePod('a'));
    manager.source([], ['a']);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual(['sync a', 'terminate a']);
  });

  it('continues to remove a pod that only the runtime knows', () => {
    const manager = managing();
    manager.tell({ type: 'runtime-pod-appeared', ...runtimePod('x') });
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('x') })).toEqual(['terminate-runtime x']);
  });

  it('gets no instruction for an unknown pod', () => {
    expect(managing().tell({ type: 'worker-restarted', podUid: podUid('x') })).toEqual([]);
  });
});

describe('a restarted thread', () => {
  it('restarts the workers on that thread, and no others', () => {
    const manager = managing(filePod('a'), filePod('z'), filePod('b'));
    manager.source([], ['b']);
    expect(manager.tell({ type: 'thread-started', thread: 'pods-0' })).toEqual([
      'start a maybe-running',
      'sync a',
      'start b maybe-running',
      'sync b',
      'terminate b',
    ]);
    expect(manager.tell({ type: 'thread-started', thread: 'pods-9' })).toEqual([]);
  });
});

describe('a pod that ended on its own', () => {
  it('is removed like any other when it is no longer wanted', () => {
    const manager = managing(filePod('a'));
    expect(manager.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false })).toEqual([]);
    expect(manager.source([filePod('a', 'pod-a', { priority: 3 })])).toEqual([]);
    expect(manager.source([], ['a'])).toEqual(['terminate a']);
  });
});

describe('when the node is drained', () => {
  it('every pod is removed, desired or not, and no pod is added', () => {
    const manager = new Manager();
    manager.survey([runtimePod('x')]);
    manager.source([filePod('a'), filePod('b')], [], false);
    expect(manager.tell({ type: 'drain' })).toEqual([
      'terminate a',
      'terminate b',
      'start x maybe-running',
      'terminate-runtime x',
    ]);
    expect(manager.source([filePod('c')])).toEqual([]);
    expect(manager.state.isEmpty).toBe(false);
    for (const uid of ['a', 'b', 'x']) manager.removed(uid);
    expect(manager.state.isEmpty).toBe(true);
  });
});

describe('a later survey', () => {
  it('starts a missing worker again', () => {
    const manager = managing(filePod('a'), filePod('b'));
    manager.source([], ['b']);
    expect(manager.survey([], ['a'])).toEqual(['start b maybe-running', 'sync b', 'terminate b']);
  });

  it('removes an orphaned pod whose notice was lost', () => {
    expect(managing(filePod('a')).survey([runtimePod('x')], ['a'])).toEqual([
      'start x maybe-running',
      'terminate-runtime x',
    ]);
  });

  it('changes nothing when all is as reported', () => {
    expect(managing(filePod('a')).survey([runtimePod('a')], ['a'])).toEqual([]);
  });

  it('ignores workers started after it began', () => {
    const manager = managing(filePod('a'));
    const asked = { type: 'node-surveyed', runtimePods: [], workers: [], workersBefore: [] } as const;
    expect(manager.tell(asked)).toEqual([]);
  });

  it('repeats terminations, and only terminations', () => {
    const manager = managing(filePod('a'), filePod('b'));
    manager.source([], ['b']);
    expect(manager.tell({ type: 'resend-due' })).toEqual(['terminate b']);
    manager.removed('b');
    expect(manager.tell({ type: 'resend-due' })).toEqual([]);
  });
});
