import { addressOf } from '../../../src/actor/messages/message.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { describe, expect, it } from 'vitest';
import { Pleg } from '../../../actors/pleg/actor.ts';
import { plegMetrics } from '../../../actors/pleg/metrics.ts';
import type { PlegProtocol, PlegQuestion, PodStatusObserved } from '../../../actors/pleg/protocol.ts';
import { actorKind } from '../../../src/actor/actor.ts';
import { ActorFault } from '../../../src/actor/fault.ts';
import type { Address, Tagged } from '../../../src/actor/messages/message.ts';
import { silentLog } from '../../../src/actor/log.ts';
import { ThreadHost } from '../../../src/actor/thread-host.ts';
import type { SupervisorReport } from '../../../src/actor/supervision/child.ts';
import { criClient } from '../../../src/cri/client.ts';
import { containerId, podUid, sandboxId } from '../../../src/kube/ids.ts';
import { child, quiet } from '../../actor/test-host.ts';
import { FakeCri } from '../../support/fake-cri.ts';
import { manualClock } from '../../support/manual-clock.ts';

const UP = {
  type: 'runtime-health-changed',
  health: {
    state: 'up',
    since: 0,
    runtime: { name: 'fake', version: '1', runtimeReady: true, networkNotReady: '' },
  },
} as const satisfies PlegProtocol['command'];

/** PLEG beside a runtime, a pod manager, and a worker for pods `p` and `q`. */
async function pleg(prepare: (cri: FakeCri) => void = () => {}) {
  const cri = new FakeCri();
  prepare(cri);
  const clock = manualClock();
  const families = new MetricFamilies();
  const metrics = plegMetrics(families);
  const told = new Map<Address, Tagged[]>();
  const reports: SupervisorReport[] = [];
  const mailbox = { capacity: 10_000 };
  const diary = actorKind({
    mailbox,
    make: ({ address }) => ({
      tell: (command: Tagged) => void told.set(address, [...(told.get(address) ?? []), command]),
    }),
  });
  const host = new ThreadHost({
    thread: 'here',
    life: 1,
    kinds: {
      pleg: actorKind<PlegProtocol>({
        mailbox,
        make: (context) => new Pleg(context, { cri: criClient(cri.call), criBytes: cri.call, metrics }),
      }),
      'pod-manager': diary,
      'pod-worker': diary,
    },
    placement: () => 'here',
    clock,
    random: () => 0,
    log: silentLog,
    report: (report) => reports.push(report),
    escalate: () => {},
  });
  const ref = host.ref(addressOf<PlegProtocol>('pleg'));
  for (const address of ['pod-manager', 'pod-worker/p', 'pod-worker/q', 'pleg']) await host.startActor(child(address));
  await quiet();
  const ask = <Q extends PlegQuestion>(question: Q) =>
    ref.ask(question, { deadlineMs: 1_000_000 }).catch((fault: unknown) => {
      throw fault instanceof ActorFault ? new Error(fault.code) : fault;
    });
  const seen = (uid: string) =>
    (told.get(`pod-worker/${uid}`) ?? []).map((message) => message as unknown as PodStatusObserved);
  return {
    cri,
    clock,
    reports,
    ask,
    tell: async (command: PlegProtocol['command']) => {
      ref.tell(command);
      await quiet();
    },
    event: async (id: string, type: 'started' | 'stopped' | 'deleted', at = clock.now()) => {
      ref.tell({ type: 'container-event', event: cri.event(id, type, at) });
      await quiet();
    },
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= 50) await clock.advanceAndSettle(Math.min(50, left));
      await quiet();
    },
    crash: async () => {
      host.crashActor('pleg', new Error('boom'));
      await quiet();
    },
    relists: () => cri.countOf('ListContainers'),
    seen,
    /** The last states sent to the worker of `uid`. */
    last: (uid: string): readonly string[] | undefined => {
      const latest = seen(uid).toSorted((a, b) => b.revision - a.revision)[0];
      return (
        latest && [...latest.status.sandboxes, ...latest.status.containers].map(({ id, state }) => `${id} ${state}`)
      );
    },
    notices: () => (told.get('pod-manager') ?? []).map((notice) => notice as Tagged & { readonly podUid: string }),
    metrics: () => families.text(),
    status: (uid: string, newerThan: number) => ask({ type: 'pod-status', podUid: podUid(uid), newerThan }),
    touched: (uid: string, newerThan: number, ...containers: string[]) =>
      ask({
        type: 'pod-status',
        podUid: podUid(uid),
        newerThan,
        touched: {
          name: uid,
          namespace: 'default',
          sandboxes: [],
          containers: containers.map((id) => [containerId(id), sandboxId(`${uid}-s`)] as const),
        },
      }),
  };
}

/** A promise, watched: `undefined` while it is pending. */
function watch<T>(asked: Promise<T>): { value: T | undefined } {
  const watched: { value: T | undefined } = { value: undefined };
  void asked.then((value) => (watched.value = value));
  return watched;
}

const live = { type: 'event-stream-changed', stream: 'live' } as const;

describe('PLEG, started', () => {
  it('reports every pod in the runtime to its worker and to the pod manager', async () => {
    const it = await pleg((cri) => {
      cri.run('p', 'c');
      cri.run('q', 'd');
    });
    expect(it.last('p')).toEqual(['p-s ready', 'c running']);
    expect(it.last('q')).toEqual(['q-s ready', 'd running']);
    expect(it.notices()).toEqual([
      { type: 'runtime-pod-appeared', podUid: 'p', name: 'p', namespace: 'default' },
      { type: 'runtime-pod-appeared', podUid: 'q', name: 'q', namespace: 'default' },
    ]);
  });

  it('relists a second after the end of the last relist, and reports only changes', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(3_000);
    expect(it.relists()).toBe(4);
    expect(it.seen('p').length).toBe(1);
    it.cri.exit('c');
    await it.pass(1_000);
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
  });

  it('reports a vanished pod', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    it.cri.removePod('p');
    await it.pass(1_000);
    expect(it.last('p')).toEqual([]);
    expect(it.notices().at(-1)).toEqual({ type: 'runtime-pod-vanished', podUid: 'p' });
  });

  it('answers the pods of the runtime after its first relist, and not before', async () => {
    const it = await pleg((cri) => {
      cri.run('p', 'c');
      cri.fail('ListContainers');
    });
    const pods = watch(it.ask({ type: 'runtime-pods', newerThan: Number.NEGATIVE_INFINITY }));
    await it.pass(3_000);
    expect(pods.value).toBeUndefined();
    it.cri.mend('ListContainers');
    await it.pass(1_000);
    expect(pods.value).toEqual([{ podUid: 'p', name: 'p', namespace: 'default' }]);
  });
});

describe('logs', () => {
  it('are listed for running containers with a known log path', async () => {
    const it = await pleg((cri) => {
      cri.run('p', 'c', 'd', 'mute', 'lost');
      cri.logPaths.set('c', '/logs/c/0.log').set('d', '/logs/d/0.log').set('lost', 'lost/0.log');
    });
    expect(await it.ask({ type: 'running-logs' })).toEqual([
      ['c', '/logs/c/0.log'],
      ['d', '/logs/d/0.log'],
    ]);
    it.cri.exit('d');
    await it.pass(1_000);
    expect(await it.ask({ type: 'running-logs' })).toEqual([['c', '/logs/c/0.log']]);
  });
});

describe('PLEG that is restarted', () => {
  it('reports to every worker again, with revisions above all earlier ones', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(100);
    await it.crash();
    expect(it.seen('p').length).toBe(2);
    const [before, after] = it.seen('p');
    expect(after?.status).toEqual(before?.status);
    expect(after?.revision).toBeGreaterThan(before?.revision ?? 0);
  });

  it('reports no incomplete pod to a worker, which would create the rest again', async () => {
    const it = await pleg((cri) => cri.run('p', 'c', 'd'));
    await it.pass(100);
    it.cri.hang('ListContainers');
    await it.crash();
    it.cri.create('p', 'e');
    it.cri.start('e');
    // An event, and an inspection for a worker, while the rest of the pod is unknown.
    it.cri.containers.delete('d');
    await it.event('c', 'started');
    it.cri.create('p', 'd');
    it.cri.start('d');
    const touched = watch(it.touched('p', it.clock.monotonic() - 1, 'e'));
    await quiet();
    expect(it.seen('p').length).toBe(1);
    expect(touched.value).toBeUndefined();
    it.cri.release('ListContainers');
    await quiet();
    expect(it.last('p')?.toSorted()).toEqual(['c running', 'd running', 'e running', 'p-s ready']);
    expect(touched.value).toMatchObject({ ok: true });
    expect(touched.value?.ok && touched.value.value.status.containers.length).toBe(3);
  });
});

describe('a worker that asks for a newer status', () => {
  it('gets it from a relist begun for it, at once', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(300);
    const now = it.clock.monotonic();
    const asked = watch(it.status('p', now));
    expect(asked.value).toBeUndefined();
    await it.pass(100);
    expect(asked.value).toMatchObject({ ok: true });
    expect(asked.value?.ok && asked.value.value.observedAt).toBeGreaterThan(now);
  });

  it('gets the known status if it is new enough', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(300);
    const relists = it.relists();
    await expect(it.status('p', -1)).resolves.toMatchObject({ ok: true });
    expect(it.relists()).toBe(relists);
  });

  it('gets an empty status of a pod that the runtime does not know', async () => {
    const it = await pleg();
    await it.pass(10);
    await expect(it.status('p', -1)).resolves.toMatchObject({ value: { status: { sandboxes: [], containers: [] } } });
  });

  it('gets the fault when the inspection of the pod failed', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    it.cri.exit('c');
    it.cri.fail('ContainerStatus c');
    const asked = watch(it.status('p', it.clock.monotonic()));
    await it.pass(200);
    expect(asked.value).toMatchObject({ ok: false, fault: { code: 'UNKNOWN' } });
  });

  it('causes no endless relists while its pod is inspected', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    it.cri.exit('c');
    it.cri.hang('ContainerStatus c');
    const asked = watch(it.status('p', it.clock.monotonic()));
    await it.pass(5_000);
    expect(asked.value).toBeUndefined();
    expect(it.relists()).toBeLessThan(10);
    expect(it.cri.countOf('ContainerStatus c')).toBe(2);
    it.cri.release('ContainerStatus c');
    await it.pass(100);
    expect(asked.value).toMatchObject({ ok: true });
  });

  it('cannot delay the relist by asking repeatedly', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(100);
    const before = it.relists();
    for (let times = 0; times < 200; times++) {
      watch(it.status('p', it.clock.monotonic()));
      await it.clock.advanceAndSettle(5);
    }
    const made = it.relists() - before;
    expect(made).toBeGreaterThan(10);
    expect(made).toBeLessThanOrEqual(21);
  });
});

describe('a worker that names touched containers', () => {
  it('has them inspected now, without a relist, and the next relist finds nothing new', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(100);
    const relists = it.relists();
    it.cri.create('p', 'd');
    const now = it.clock.monotonic();
    const answer = await it.touched('p', now, 'd');
    expect(answer).toMatchObject({ ok: true });
    // Within one clock tick the status is still newer: the inspection began after the question.
    expect(answer.ok && answer.value.observedAt).toBeGreaterThan(now);
    expect(answer.ok && answer.value.status.containers.map(({ id }) => id).toSorted()).toEqual(['c', 'd']);
    expect(it.relists()).toBe(relists);
    await it.pass(1_000);
    expect(it.cri.countOf('ContainerStatus d')).toBe(1);
    expect(it.seen('p').length).toBe(1);
  });

  it('gets the fault when the inspection fails', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    it.cri.fail('ContainerStatus c');
    await expect(it.touched('p', 0, 'c')).resolves.toMatchObject({ ok: false, fault: { code: 'UNKNOWN' } });
  });
});

describe('the event stream', () => {
  it('makes relists rare while it is live, and frequent again when it breaks', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(500);
    await it.tell(live);
    await it.pass(100);
    const before = it.relists();
    await it.pass(20_000);
    expect(it.relists() - before).toBe(2);
    await it.tell({ type: 'event-stream-changed', stream: 'broken' });
    // A timer fires up to a millisecond late.
    await it.pass(5_050);
    expect(it.relists() - before).toBe(2 + 6);
  });

  it('reports changes without a relist', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(100);
    const relists = it.relists();
    it.cri.exit('c');
    await it.event('c', 'stopped');
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
    expect(it.relists()).toBe(relists);
  });

  it('does not count as an inspection of the whole pod, which is known as of the last relist', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(5_000);
    it.cri.exit('c');
    await it.event('c', 'stopped');
    expect(it.seen('p').at(-1)?.observedAt).toBeLessThan(1_000);
  });

  it('is ignored if it is late', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(100);
    const told = it.cri.event('c', 'started', it.clock.now());
    it.cri.exit('c');
    await it.pass(1_000);
    await it.tell({ type: 'container-event', event: told });
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
  });

  it('is corrected by the next relist after a lost event', async () => {
    const it = await pleg();
    await it.tell(live);
    await it.pass(100);
    it.cri.run('p', 'c');
    await it.event('c', 'started');
    it.cri.removePod('p');
    await it.pass(10_000);
    expect(it.last('p')).toEqual([]);
    await expect(it.ask({ type: 'runtime-pods', newerThan: Number.NEGATIVE_INFINITY })).resolves.toEqual([]);
  });

  it('counts as live after any event, when PLEG missed the notice', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(100);
    await it.crash();
    await it.event('c', 'started');
    await it.pass(200);
    const relists = it.relists();
    await it.pass(5_000);
    expect(it.relists()).toBe(relists);
  });

  it.each([
    { event: 'that cannot be read', bytes: () => new Uint8Array(5).fill(0xff) },
    { event: 'that does not say which pod it is about', bytes: (cri: FakeCri) => cri.event('nothing', 'deleted', 0) },
  ])('with an event $event makes PLEG relist', async ({ bytes }) => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(500);
    it.cri.exit('c');
    await it.tell({ type: 'container-event', event: bytes(it.cri) });
    await it.pass(50);
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
    expect(it.reports).toEqual([]);
  });

  it('ignores pods that no kubelet made', async () => {
    const it = await pleg();
    it.cri.sandboxes.set('someones', { pod: 'someones', ready: true, foreign: true });
    await it.event('someones', 'started');
    await it.pass(2_000);
    expect(it.notices()).toEqual([]);
  });

  it('is followed by another relist when it becomes live during one', async () => {
    const it = await pleg();
    it.cri.hang('ListContainers');
    await it.pass(1_100);
    await it.tell(live);
    const relists = it.relists();
    it.cri.release('ListContainers');
    await it.pass(200);
    expect(it.relists()).toBe(relists + 1);
  });
});

describe('a runtime that returns from an outage', () => {
  it('is listed at once', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.pass(500);
    const relists = it.relists();
    await it.tell(UP);
    await it.pass(1);
    expect(it.relists()).toBe(relists + 1);
  });
});

describe('a relist that fails', () => {
  it.each([
    { how: 'a fault', what: { code: 'UNAVAILABLE', detail: 'nobody there' } as const },
    { how: 'an invalid list', what: new Uint8Array(9).fill(0xff) },
    { how: 'an entry without an ID', what: Uint8Array.of(10, 2, 48, 1) },
    // Two bytes of an entry: an ID, and labels that are no labels.
    { how: 'an entry that cannot be decoded', what: Uint8Array.of(10, 6, 10, 1, 97, 66, 1, 0xff) },
  ])('with $how changes nothing, crashes nothing, and is tried again after a second', async ({ what }) => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(100);
    it.cri.exit('c');
    it.cri.fail('ListContainers', what);
    await it.pass(10_000);
    const before = it.relists();
    await it.pass(3_000);
    expect(it.relists() - before).toBe(3);
    expect(it.reports).toEqual([]);
    expect(it.last('p')).toEqual(['p-s ready', 'c running']);
    it.cri.mend('ListContainers');
    await it.pass(1_000);
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
  });

  it('for one of its two lists keeps the other list for the next relist', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    it.cri.fail('ListContainers', new Uint8Array(9).fill(0xff));
    it.cri.stopSandbox('p');
    await it.pass(3_000);
    it.cri.mend('ListContainers');
    await it.pass(1_000);
    expect(it.last('p')).toEqual(['p-s not-ready', 'c running']);
  });
});

describe('the health of PLEG', () => {
  const health = (it: Awaited<ReturnType<typeof pleg>>) => it.ask({ type: 'pleg-health' });

  it('is unhealthy until the first relist has succeeded', async () => {
    const it = await pleg((cri) => cri.hang('ListContainers'));
    await it.pass(500);
    await expect(health(it)).resolves.toEqual({
      healthy: false,
      lastRelistAgeMs: undefined,
      currentRelistAgeMs: 500,
    });
  });

  it('is healthy while relists succeed', async () => {
    const it = await pleg();
    await it.pass(10_500);
    await expect(health(it)).resolves.toMatchObject({ healthy: true, currentRelistAgeMs: undefined });
  });

  it('shows a hanging relist, and is unhealthy after three minutes', async () => {
    const it = await pleg();
    it.cri.hang('ListContainers');
    await it.pass(60_000);
    const early = await health(it);
    expect(early.healthy).toBe(true);
    expect(early.currentRelistAgeMs).toBeGreaterThan(58_000);
    expect(it.metrics()).toContain('hivelet_pleg_relist_started_timestamp_seconds 1\n');
    await it.pass(121_000);
    expect((await health(it)).healthy).toBe(false);
    it.cri.release('ListContainers');
    await it.pass(2_000);
    expect((await health(it)).healthy).toBe(true);
    expect(it.metrics()).toContain('hivelet_pleg_relist_started_timestamp_seconds 0\n');
  });
});

describe('one container whose status hangs', () => {
  it('does not keep other pods from being reported, listed or awaited', async () => {
    const it = await pleg((cri) => {
      cri.run('p', 'c');
      cri.run('q', 'd');
      cri.hang('ContainerStatus c');
    });
    expect(it.last('p')).toBeUndefined();
    expect(it.last('q')).toEqual(['q-s ready', 'd running']);
    const names = await it.ask({ type: 'runtime-pods', newerThan: Number.NEGATIVE_INFINITY });
    expect(names.map(({ podUid: uid }) => uid)).toEqual(['p', 'q']);
    it.cri.exit('d');
    const asked = watch(it.status('q', it.clock.monotonic()));
    await it.pass(1_000);
    expect(it.last('q')).toEqual(['q-s ready', 'd exited']);
    expect(asked.value).toMatchObject({ ok: true });
    expect((await it.ask({ type: 'pleg-health' })).healthy).toBe(true);
    // The status is requested only once.
    await it.pass(10_000);
    expect(it.cri.countOf('ContainerStatus c')).toBe(1);
    it.cri.release('ContainerStatus c');
    await it.pass(100);
    expect(it.last('p')).toEqual(['p-s ready', 'c running']);
  });

  it('does not hide other changes of its pod, once the whole pod was inspected', async () => {
    const it = await pleg((cri) => cri.run('p', 'c', 'd'));
    it.cri.hang('ContainerStatus c');
    it.cri.exit('c');
    await it.pass(1_000);
    it.cri.exit('d');
    await it.pass(1_000);
    expect(it.last('p')).toEqual(['p-s ready', 'c running', 'd exited']);
  });
});

describe('an inspection that fails', () => {
  it('is repeated with the next relist, and no change is lost', async () => {
    const it = await pleg((cri) => cri.run('p', 'c'));
    await it.tell(live);
    await it.pass(100);
    it.cri.exit('c');
    it.cri.fail('ContainerStatus c');
    await it.pass(12_000);
    expect(it.last('p')).toEqual(['p-s ready', 'c running']);
    it.cri.mend('ContainerStatus c');
    // Not only at the next safety relist.
    await it.pass(1_000);
    expect(it.last('p')).toEqual(['p-s ready', 'c exited']);
  });
});
