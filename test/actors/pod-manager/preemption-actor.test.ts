import { describe, expect, it } from 'vitest';
import { PodManager } from '../../../actors/pod-manager/actor.ts';
import { allocationsIn } from '../../../actors/pod-manager/checkpoints/allocations.ts';
import type { PodManagerProtocol } from '../../../actors/pod-manager/protocol.ts';
import { defaultRestartRule } from '../../../src/actor/supervision/child.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { container } from '../../pod/pods.ts';
import { MemoryFiles } from '../../simulation/node/memory-files.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { filePod, runtimePod } from './manager-support.ts';

const up = { state: 'up', runtime: { name: 'r', version: '1', networkNotReady: '' } } as const;
const asking = (uid: string, cpu: string, priority: number): Pod =>
  filePod(uid, `pod-${uid}`, { containers: [container('main', { resources: { requests: { cpu } } })], priority });

/** On a node of two processors: `a` has one and a half, `b` a tenth. */
async function manager() {
  const files = new MemoryFiles();
  const runtime = { pods: [] as ReturnType<typeof runtimePod>[] };
  const actor = await actorUnderTest<PodManagerProtocol>({
    address: 'pod-manager',
    make: (context) =>
      new PodManager(context, {
        allocations: allocationsIn('/var/lib/hivelet', files),
        sources: ['file'],
        node: {
          name: 'n1',
          labels: {},
          os: 'linux',
          allocatable: { cpu: '2' },
          taints: [],
          strictSupplementalGroups: true,
        },
        recordEvent: () => {},
        podThreads: ['here'],
        threadOf: () => 'here',
        workerRule: { restart: defaultRestartRule, stopWithinMs: 1_000 },
      }),
    others: {
      pleg: () => runtime.pods,
      'cri-gateway': () => up,
      'pod-source-file': () => undefined,
      'status-manager': () => undefined,
      'node-status': () => ({ addresses: [], from: 'host', node: undefined }),
    },
    started: ['pod-worker'],
  });
  let said = 0;
  const source = (session: number, ...set: readonly Pod[]) =>
    actor.tell({
      type: 'source-changed',
      source: 'file',
      session: [1, session],
      number: ++said,
      set,
      gone: [],
      complete: true,
    });
  await source(1, asking('a', '1500m', 1), asking('b', '100m', 1));
  return {
    ...actor,
    source: (session: number, ...set: readonly Pod[]) => {
      if (session > 1) said = 0;
      return source(session, ...set);
    },
    /** What the runtime holds, from now on. */
    holds: (...uids: readonly string[]) => {
      runtime.pods = uids.map((uid) => runtimePod(uid));
    },
    endings: (uid: string) => actor.take(`pod-worker/${uid}`).filter(({ type }) => type === 'evict-pod').length,
    isStarted: (uid: string) => actor.host.addresses('pod-worker').includes(`pod-worker/${uid}`),
    recorded: () => files.read('/var/lib/hivelet/pods/k/preemption'),
  };
}

describe('a pod manager that makes room for a critical pod', () => {
  it('evicts the victim, and admits the pod when the victim has ended', async () => {
    const { source, endings, isStarted, recorded, tell } = await manager();
    await source(1, asking('k', '1', 9));
    expect([endings('a'), endings('b'), isStarted('k'), recorded()]).toEqual([1, 0, false, '["a"]']);
    await tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect([isStarted('k'), recorded()]).toEqual([true, undefined]);
  });

  it('admits the pod when the victim exceeds its grace period', async () => {
    const { source, isStarted, pass } = await manager();
    await source(1, asking('k', '1', 9));
    await pass(9_000);
    expect(isStarted('k')).toBe(false);
    await pass(2_000);
    expect(isStarted('k')).toBe(true);
  });

  it('crashes: its successor evicts the same victim and no other', async () => {
    const { source, holds, endings, isStarted, crash, pass, tell } = await manager();
    await source(1, asking('k', '1', 9));
    endings('a');
    holds('a', 'b');
    await crash();
    await pass(1_000);
    await source(2, asking('a', '1500m', 1), asking('b', '100m', 1), asking('k', '1', 9));
    expect([endings('a') > 0, endings('b'), isStarted('k')]).toEqual([true, 0, false]);
    await tell({ type: 'pod-terminated', podUid: podUid('a'), removed: false });
    expect(isStarted('k')).toBe(true);
    expect(endings('b')).toBe(0);
  });
});
