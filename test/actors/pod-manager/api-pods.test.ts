import { describe, expect, it } from 'vitest';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import type { PodParts } from '../../pod/pods.ts';
import { apiPod, asking, managingInCluster as managing, ManagerInCluster as Manager } from './cluster-support.ts';
import { filePod, inWords, runtimePod } from './manager-support.ts';

const SOURCE = 'kubernetes.io/config.source';
const HASH = 'kubernetes.io/config.hash';
const MIRROR = 'kubernetes.io/config.mirror';

const deleting = (uid: string, deletionGracePeriodSeconds: number, status?: PodStatus): Pod =>
  apiPod(uid, {
    metadata: { deletionTimestamp: '2030-01-02T03:04:35Z', deletionGracePeriodSeconds },
    ...(status === undefined ? {} : { status }),
  });
const mirrorOf = (hash: string): Pod =>
  apiPod(`mirror-${hash}`, { metadata: { name: `pod-${hash}`, annotations: { [SOURCE]: 'api', [MIRROR]: hash } } });
const staticPod = (uid: string): Pod =>
  filePod(uid, undefined, { metadata: { annotations: { [SOURCE]: 'file', [HASH]: uid } } });
const done: PodStatus = { phase: 'Succeeded' };

describe('a pod of the API', () => {
  it('gets a worker, and its object is sent to the status manager', () => {
    const manager = managing();
    const effects = manager.effects({
      type: 'source-changed',
      source: 'api',
      session: [1, 1],
      number: 2,
      set: [apiPod('a')],
      gone: [],
      complete: true,
    });
    expect(effects.map(inWords)).toEqual(['api-pod-changed a', 'start a fresh', 'sync a']);
  });

  it('is synced again when its spec has changed, and not when only its status has', () => {
    const manager = managing(apiPod('a'));
    expect(manager.source('api', [apiPod('a', { metadata: { labels: { v: '2' } } })])).toEqual(['sync a']);
    expect(
      manager.source('api', [apiPod('a', { metadata: { labels: { v: '2' } }, status: { phase: 'Running' } })]),
    ).toEqual([]);
  });

  it('is reconciled once when another client sets a terminal phase, not when the pod’s own worker did', () => {
    const over = apiPod('a', { status: { phase: 'Failed' } });
    const manager = managing(apiPod('a'));
    expect(manager.source('api', [over])).toEqual(['reconcile a']);
    expect(manager.source('api', [{ ...over }])).toEqual([]);
    const ended = managing(apiPod('a'));
    ended.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect(ended.source('api', [over])).toEqual([]);
  });

  it('is reconciled when its readiness gates change', () => {
    const gated = (status?: PodStatus): Pod =>
      apiPod('a', { readinessGates: [{ conditionType: 'example.test/gate' }], ...(status && { status }) });
    const manager = managing(gated());
    expect(manager.source('api', [gated({ conditions: [{ type: 'other', status: 'True' }] })])).toEqual([]);
    expect(manager.source('api', [gated({ conditions: [{ type: 'example.test/gate', status: 'True' }] })])).toEqual([
      'reconcile a',
    ]);
  });

  it('is terminated when it is deleted, and again with a shorter grace period', () => {
    const manager = managing(apiPod('a'));
    expect(manager.source('api', [deleting('a', 30)])).toEqual(['sync a']);
    expect(manager.source('api', [deleting('a', 30, { phase: 'Running' })])).toEqual([]);
    expect(manager.source('api', [deleting('a', 3)])).toEqual(['sync a']);
  });

  it('is finished when nothing of the pod is left, and stays finished while a finalizer keeps its object', () => {
    const manager = managing(apiPod('a'));
    manager.source('api', [deleting('a', 30)]);
    expect(manager.removed('a', done)).toEqual(['pod-finished a']);
    expect(manager.source('api', [deleting('a', 0, done)])).toEqual([]);
    expect(manager.source('api', [], ['a'])).toEqual(['api-pod-gone a', 'forget a']);
  });

  it('is killed at once when the API no longer has the pod', () => {
    const manager = managing(apiPod('a'));
    expect(manager.source('api', [], ['a'])).toEqual(['api-pod-gone a', 'terminate a in 0 s']);
    expect(manager.removed('a')).toEqual(['forget a']);
  });

  it('is killed at once when it is force-deleted while it terminates', () => {
    const manager = managing(apiPod('a'));
    manager.source('api', [deleting('a', 30)]);
    expect(manager.source('api', [], ['a'])).toEqual(['api-pod-gone a', 'terminate a in 0 s']);
    expect(manager.tell({ type: 'worker-restarted', podUid: podUid('a') })).toEqual(['sync a', 'terminate a in 0 s']);
  });

  it('that was deleted while the source was away is killed too', () => {
    const manager = managing(apiPod('a'), apiPod('b'));
    expect(
      manager.tell({
        type: 'source-changed',
        source: 'api',
        session: [1, 2],
        number: 1,
        set: [apiPod('b')],
        gone: [],
        complete: true,
      }),
    ).toEqual(['read a']);
    expect(manager.tell({ type: 'pod-read', podUid: podUid('a'), server: 'has-no-pod' })).toEqual([
      'api-pod-gone a',
      'terminate a in 0 s',
    ]);
  });

  it('that ended and left nothing on the node gets no worker, and is released when it is deleted', () => {
    const ended = apiPod('a', { status: done });
    const manager = managing(ended);
    expect(manager.state.workers.size).toBe(0);
    expect(manager.tell({ type: 'report-api-pods' })).toEqual(['pod-finished a']);
    expect(manager.source('api', [deleting('a', 0, done)])).toEqual([]);
  });

  it('that ended and is still in the runtime gets a worker', () => {
    const manager = new Manager();
    manager.source('file', []);
    manager.source('api', [apiPod('a', { status: done })]);
    manager.node();
    expect(
      manager.tell({ type: 'node-surveyed', runtimePods: [runtimePod('a')], workers: [], workersBefore: [] }),
    ).toEqual(['start a maybe-running', 'sync a']);
  });

  it('that was deleted before its first observation gets a worker that terminates it', () => {
    const manager = managing();
    expect(manager.source('api', [deleting('a', 30)])).toEqual(['start a fresh', 'sync a']);
    expect(manager.state.workers.get(podUid('a'))?.stage).toBe('going');
  });
});

describe('admission', () => {
  it('rejects a pod that does not fit for good, with a status and without a worker', () => {
    const manager = managing();
    expect(manager.source('api', [apiPod('a', asking('3'))])).toEqual(['reject a OutOfcpu', 'pod-finished a']);
    expect(manager.state.workers.size).toBe(0);
    expect(manager.source('api', [apiPod('a', { ...asking('3'), status: { phase: 'Failed' } })])).toEqual([]);
    expect(manager.source('api', [], ['a'])).toEqual(['api-pod-gone a', 'forget a']);
  });

  it('follows the order of arrival', () => {
    const manager = managing();
    expect(manager.source('api', [apiPod('a', asking('1500m')), apiPod('b', asking('1'))])).toEqual([
      'start a fresh',
      'sync a',
      'reject b OutOfcpu',
      'pod-finished b',
    ]);
  });

  it("frees a pod's resources when it is removed, or has ended", () => {
    const manager = managing(apiPod('a', asking('1')), apiPod('b', asking('1')));
    manager.tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect(manager.source('api', [apiPod('c', asking('1'))])).toEqual(['start c fresh', 'sync c']);
    expect(manager.source('api', [apiPod('d', asking('1'))])).toEqual(['reject d OutOfcpu', 'pod-finished d']);
    manager.source('api', [], ['b']);
    manager.removed('b');
    expect(manager.source('api', [apiPod('e', asking('1'))])).toEqual(['start e fresh', 'sync e']);
  });

  it('waits for the node and for all pods of the API, oldest first, and never rejects an admitted pod', () => {
    const manager = new Manager();
    const at = (uid: string, creationTimestamp: string, parts: PodParts = {}): Pod =>
      apiPod(uid, { ...asking('1'), ...parts, metadata: { creationTimestamp } });
    manager.tell({ type: 'node-surveyed', runtimePods: [], workers: [], workersBefore: [] });
    manager.source('file', []);
    expect(
      manager.source('api', [at('new', '2030-01-03T00:00:00Z'), at('older', '2030-01-02T00:00:00Z')], [], false),
    ).toEqual([]);
    const was = at('was-in', '2030-01-04T00:00:00Z', {
      status: { phase: 'Pending', startTime: '2030-01-04T00:00:00Z' },
    });
    expect(manager.source('api', [was], [])).toEqual(['start was-in fresh', 'sync was-in']);
    expect(manager.node()).toEqual(['start older fresh', 'sync older', 'reject new OutOfcpu', 'pod-finished new']);
  });

  const running = { name: 'pod-z', namespace: 'default', podUid: podUid('z') };
  const survey = { type: 'node-surveyed', runtimePods: [running], workers: [], workersBefore: [] } as const;
  const both = [apiPod('a', asking('2')), apiPod('z', asking('2'))];

  it.each([
    {
      last: 'all that the API wants',
      come: (manager: Manager) => [manager.node(), manager.tell(survey), manager.source('api', both)],
    },
    {
      last: 'what the runtime holds',
      come: (manager: Manager) => [manager.node(), manager.source('api', both), manager.tell(survey)],
    },
    {
      last: 'the node',
      come: (manager: Manager) => [manager.tell(survey), manager.source('api', both), manager.node()],
    },
  ])('counts running pods before it admits new ones, whatever their names, when $last arrives last', ({ come }) => {
    const manager = new Manager();
    manager.source('file', []);
    const words = come(manager).flat();
    expect(words).toContain('start z maybe-running');
    expect(words).toContain('reject a OutOfcpu');
  });

  describe('a pod whose node lacks a required label', () => {
    const wanting = (uid: string): Pod => apiPod(uid, { nodeSelector: { disk: 'ssd' } });
    const read = (labels: Readonly<Record<string, string>> = {}) =>
      ({ type: 'node-read', node: { metadata: { name: 'n1', labels } } }) as const;

    it('is admitted when the label is observed, also after an observation without it', () => {
      const manager = managing();
      expect(manager.source('api', [wanting('a')])).toEqual(['read the node']);
      expect(manager.node('3')).toEqual([]);
      expect(manager.node('3', { disk: 'ssd' })).toEqual(['start a fresh', 'sync a']);
      expect(manager.tell(read())).toEqual([]);
    });

    it.each([
      { node: 'has it', answer: read({ disk: 'ssd' }), effects: ['start a fresh', 'sync a'] },
      { node: 'lacks it', answer: read(), effects: ['reject a NodeAffinity', 'pod-finished a'] },
      {
        node: 'does not exist',
        answer: { type: 'node-read', node: undefined } as const,
        effects: ['reject a NodeAffinity', 'pod-finished a'],
      },
    ])('is judged by the node as the server has it, which $node', ({ answer, effects }) => {
      const manager = managing();
      manager.source('api', [wanting('a')]);
      expect(manager.tell(answer)).toEqual(effects);
    });

    it('waits as long as the server does not answer', () => {
      const manager = managing();
      manager.source('api', [wanting('a')]);
      for (let minute = 0; minute < 10; minute += 1) expect(manager.tell({ type: 'resend-due' })).toEqual([]);
      expect(manager.tell(read({ disk: 'ssd' }))).toEqual(['start a fresh', 'sync a']);
    });

    it('is not rejected by a read that began before the pod came', () => {
      const manager = managing();
      manager.source('api', [wanting('a')]);
      expect(manager.source('api', [wanting('b')])).toEqual([]);
      expect(manager.tell(read())).toEqual(['reject a NodeAffinity', 'pod-finished a', 'read the node']);
      expect(manager.tell(read({ disk: 'ssd' }))).toEqual(['start b fresh', 'sync b']);
    });

    it('is dropped when it is deleted during the wait', () => {
      const manager = managing();
      manager.source('api', [wanting('a')]);
      manager.source('api', [], ['a']);
      expect(manager.tell(read())).toEqual([]);
      expect(manager.node('2', { disk: 'ssd' })).toEqual([]);
    });

    it('may be a static pod, which does not wait for other pods of the API', () => {
      const manager = new Manager();
      manager.tell({ type: 'node-surveyed', runtimePods: [], workers: [], workersBefore: [] });
      const statically = filePod('s', 'pod-s', { nodeSelector: { disk: 'ssd' } });
      expect(manager.source('file', [statically])).toEqual(['read the node']);
      expect(manager.tell(read({ disk: 'ssd' }))).toContain('start s fresh');
    });
  });

  it('does not wait for an API to start static pods', () => {
    const manager = new Manager();
    manager.tell({ type: 'node-surveyed', runtimePods: [], workers: [], workersBefore: [] });
    expect(manager.source('file', [staticPod('s')])).toEqual(['start s fresh', 'static-pod-present s', 'sync s']);
  });
});

describe('a static pod in a cluster', () => {
  it('is reported to the mirror-pods actor while it exists', () => {
    const manager = managing();
    expect(manager.source('file', [staticPod('s')])).toEqual(['start s fresh', 'static-pod-present s', 'sync s']);
    expect(manager.source('file', [], ['s'])).toEqual(['terminate s']);
    expect(manager.removed('s')).toEqual(['forget s', 'static-pod-gone s']);
  });

  it('is not affected by changes of its mirror pod', () => {
    const manager = managing();
    manager.source('file', [staticPod('s')]);
    const seen = manager.effects({
      type: 'source-changed',
      source: 'api',
      session: [1, 1],
      number: 2,
      set: [mirrorOf('s')],
      gone: [],
      complete: true,
    });
    expect(seen.map(inWords)).toEqual(['api-pod-changed s', 'mirror-pod-present s']);
    manager.heard('api');
    expect(manager.source('api', [], ['mirror-s'])).toEqual(['api-pod-gone s', 'mirror-pod-gone s']);
    expect(manager.state.desired.size).toBe(1);
  });

  it('and its mirror pod are sent again to an actor that has lost them', () => {
    const manager = managing(mirrorOf('s'));
    manager.source('file', [staticPod('s')]);
    expect(manager.tell({ type: 'report-mirror-pods' })).toEqual(['static-pod-present s', 'mirror-pod-present s']);
    expect(manager.effects({ type: 'report-api-pods' }).map(inWords)).toEqual(['api-pod-changed s']);
  });

  it('a mirror pod that was deleted while the source was away is gone', () => {
    const manager = managing(mirrorOf('s'));
    expect(
      manager.tell({
        type: 'source-changed',
        source: 'api',
        session: [1, 2],
        number: 1,
        set: [],
        gone: [],
        complete: true,
      }),
    ).toEqual(['api-pod-gone s', 'mirror-pod-gone s']);
  });

  describe('whose mirror pod is older than this agent', () => {
    const main = (restartCount: number, state: object) =>
      ({ name: 'main', ready: false, restartCount, image: '', imageID: '', state }) as const;
    const ended: PodStatus = { phase: 'Succeeded', containerStatuses: [main(0, { terminated: { exitCode: 0 } })] };
    const ran: PodStatus = { phase: 'Running', containerStatuses: [main(5, { running: {} })] };
    const failed: PodStatus = { phase: 'Failed', reason: 'Terminated' };
    const mirror = (status: PodStatus): Pod => ({
      ...mirrorOf('s'),
      spec: { ...mirrorOf('s').spec, restartPolicy: 'Never' },
      status,
    });

    /** A manager that has just started, with the pods in the runtime that it finds. */
    function started(...runtimePods: readonly ReturnType<typeof runtimePod>[]): Manager {
      const manager = new Manager();
      manager.tell({ type: 'node-surveyed', runtimePods, workers: [], workersBefore: [] });
      manager.node();
      return manager;
    }
    const statusSent = (
      manager: Manager,
      source: 'file' | 'api',
      pods: readonly Pod[],
      number = 1,
    ): PodStatus | undefined => {
      const change = {
        type: 'source-changed',
        source,
        session: [1, 1],
        number,
        set: pods,
        gone: [],
        complete: true,
      } as const;
      const [sent] = manager
        .effects(change)
        .flatMap((effect) => (effect.type === 'tell-worker' && 'pod' in effect.command ? [effect.command] : []));
      return sent?.pod.status;
    };

    it('has the status of the mirror pod as its earlier one', () => {
      const manager = started();
      expect(manager.source('api', [mirror(ran)])).toEqual(['mirror-pod-present s']);
      expect(statusSent(manager, 'file', [staticPod('s')])).toEqual(ran);
    });

    it('has that status too when the API is slower than the folder', () => {
      const manager = started(runtimePod('s'));
      manager.source('file', [staticPod('s')]);
      expect(statusSent(manager, 'api', [mirror(ran)])).toEqual(ran);
      // A worker that restarts continues the same status.
      expect(manager.effects({ type: 'worker-restarted', podUid: podUid('s') })).toMatchObject([
        { command: { type: 'sync-pod', pod: { status: ran } } },
      ]);
    });

    it('does not start again if it ended by itself, and keeps its mirror pod', () => {
      const manager = started();
      manager.source('api', [mirror(ended)]);
      expect(manager.source('file', [staticPod('s')])).toEqual(['static-pod-present s', 'pod-finished s']);
    });

    it('starts again with a new mirror pod if its node ended it', () => {
      const manager = started();
      const change = {
        type: 'source-changed',
        source: 'api',
        session: [1, 1],
        number: 1,
        gone: [],
        complete: true,
      } as const;
      const seen = manager.effects({ ...change, set: [mirror(failed)] });
      expect(seen).toMatchObject([{ type: 'tell-mirrors', command: { type: 'mirror-pod-present', outdated: true } }]);
      expect(manager.source('file', [staticPod('s')])).toEqual(['start s fresh', 'static-pod-present s', 'sync s']);
      expect(manager.tell({ type: 'report-api-pods' })).toEqual([]);
      expect(manager.effects({ type: 'report-mirror-pods' })).toContainEqual(
        expect.objectContaining({ command: expect.objectContaining({ outdated: true }) as object }),
      );
    });

    it('begins without a status when its manifest has gone and come back', () => {
      const manager = started();
      manager.source('api', [mirror(ran)]);
      manager.source('file', [staticPod('s')]);
      manager.source('file', [], ['s']);
      manager.removed('s');
      expect(statusSent(manager, 'file', [staticPod('s')], 3)).toEqual(staticPod('s').status);
    });

    it('has the status of a mirror pod that comes later for no earlier one', () => {
      const manager = managing();
      manager.source('file', [staticPod('s')]);
      expect(statusSent(manager, 'api', [mirror(ran)], 2)).toBeUndefined();
    });
  });
});
