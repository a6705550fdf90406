import { describe, expect, it } from 'vitest';
import { StatusManager } from '../../../actors/status-manager/actor.ts';
import type { StatusManagerProtocol } from '../../../actors/status-manager/protocol.ts';
import { statusChange } from '../../../actors/status-manager/status-change.ts';
import { defaultRestartRule } from '../../../src/actor/supervision/child.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const status = (phase: NonNullable<PodStatus['phase']>, ready: 'True' | 'False' = 'False'): PodStatus => ({
  phase,
  conditions: [{ type: 'Ready', status: ready }],
});
const changed = (to: PodStatus) =>
  ({ type: 'pod-status-changed', podUid: podUid('uid-1'), pod: 'shop/web', status: to }) as const;

describe('the logged change of a status', () => {
  it.each([
    { rule: 'its first phase', before: undefined, after: status('Pending'), news: { phase: 'Pending', ready: false } },
    {
      rule: 'another phase',
      before: status('Pending'),
      after: status('Running'),
      news: { phase: 'Running', ready: false },
    },
    {
      rule: 'the pod becomes ready',
      before: status('Running'),
      after: status('Running', 'True'),
      news: { phase: 'Running', ready: true },
    },
    {
      rule: 'the pod is no longer ready',
      before: status('Running', 'True'),
      after: status('Running'),
      news: { phase: 'Running', ready: false },
    },
    {
      rule: 'no other change',
      before: status('Running', 'True'),
      after: { ...status('Running', 'True'), podIP: '10.0.0.1' },
      news: undefined,
    },
    {
      rule: 'a status without conditions counts as not ready',
      before: status('Running', 'True'),
      after: { phase: 'Running' as const },
      news: { phase: 'Running', ready: false },
    },
  ])('is $rule', ({ before, after, news }) => {
    expect(statusChange(before, changed(after))).toEqual(news === undefined ? undefined : { pod: 'shop/web', ...news });
  });
});

async function statusManager() {
  return actorUnderTest<StatusManagerProtocol>({
    address: 'status-manager',
    make: (context) => new StatusManager(context, { podThreads: ['here'], api: undefined }),
    others: { 'pod-worker/uid-1': () => undefined, 'pod-worker/uid-2': () => undefined, pleg: () => undefined },
  });
}

describe('the status manager', () => {
  it('keeps the latest status of each pod until the pod is gone, and logs changes', async () => {
    const { tell, ask, logged } = await statusManager();
    await tell(changed(status('Pending')));
    await tell(changed(status('Running')));
    await tell(changed({ ...status('Running'), podIP: '10.0.0.1' }));
    expect(await ask({ type: 'status-of-pod', podUid: podUid('uid-1') })).toMatchObject({ podIP: '10.0.0.1' });
    expect(await ask({ type: 'all-statuses' })).toHaveProperty('size', 1);
    expect(logged).toEqual(['info: pod status changed', 'info: pod status changed']);
    await tell({ type: 'forget-pod', podUid: podUid('uid-1') });
    expect(await ask({ type: 'status-of-pod', podUid: podUid('uid-1') })).toBeUndefined();
  });

  it('takes nothing back when a worker has lost what it had reported', async () => {
    const { tell, ask } = await statusManager();
    const main = { name: 'main', ready: false, image: '', imageID: '' };
    const lastState = { terminated: { exitCode: 3 } };
    const holding = (phase: 'Running' | 'Failed', restartCount: number): PodStatus => ({
      phase,
      containerStatuses: [{ ...main, restartCount }],
    });
    const known = () => ask({ type: 'status-of-pod', podUid: podUid('uid-1') });
    await tell(changed({ phase: 'Running', containerStatuses: [{ ...main, restartCount: 4, lastState }] }));
    await tell(changed(holding('Running', 0)));
    expect(await known()).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 4, lastState }] });
    await tell(changed({ ...holding('Failed', 4), reason: 'Evicted', message: 'full' }));
    await tell(changed(holding('Running', 5)));
    expect(await known()).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'full',
      containerStatuses: [{ restartCount: 5 }],
    });
  });

  it('asks every worker for its status at its start, and again after a restart', async () => {
    const { take, crash, pass, tell, ask, host } = await statusManager();
    for (const uid of ['uid-1', 'uid-2']) expect(take(`pod-worker/${uid}`)).toEqual([{ type: 'report-status' }]);
    expect(take('pleg')).toEqual([]);
    await tell(changed(status('Running')));
    await crash();
    await pass(10_000);
    expect(take('pod-worker/uid-1')).toEqual([{ type: 'report-status' }]);
    expect(await ask({ type: 'status-of-pod', podUid: podUid('uid-1') })).toBeUndefined();
    await host.startActor({ address: 'pod-worker/uid-3', restart: defaultRestartRule, stopWithinMs: 1 });
    expect(take('pod-worker/uid-3')).toEqual([]);
  });
});
