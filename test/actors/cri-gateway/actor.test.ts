import { PLEG } from '../../../actors/pleg/protocol.ts';
import { addressOf } from '../../../src/actor/messages/message.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { describe, expect, it } from 'vitest';
import { CriGateway } from '../../../actors/cri-gateway/actor.ts';
import { LatestCreations } from '../../../actors/cri-gateway/latest-creations.ts';
import type { RunningCalls } from '../../../actors/cri-gateway/call-runner.ts';
import type { CriCall, CriGatewayProtocol, RuntimeHealth } from '../../../actors/cri-gateway/protocol.ts';
import { defaultLaneLimits, type LaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import { actorKind } from '../../../src/actor/actor.ts';
import { ActorFault } from '../../../src/actor/fault.ts';
import type { Log } from '../../../src/actor/log.ts';
import type { Tagged } from '../../../src/actor/messages/message.ts';
import { eventLoopTurns } from '../../../src/actor/dispatcher.ts';
import { ThreadHost } from '../../../src/actor/thread-host.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { CriMethodName } from '../../../src/cri/methods.ts';
import { operationMetrics } from '../../../src/cri/operation-metrics.ts';
import { child, quiet } from '../../actor/test-host.ts';
import { fakeTransport, NO_CONNECTION, type SentCall } from '../../support/fake-transport.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** A gateway with a fake runtime, and a PLEG and one pod worker that record their messages. */
async function gateway(limits: Partial<LaneLimits> = {}, transport = fakeTransport()) {
  const clock = manualClock();
  const families = new MetricFamilies();
  const metrics = operationMetrics(families);
  const underWay: RunningCalls = new Map();
  const logged: string[] = [];
  const told: Record<'pleg' | 'pod-worker', Tagged[]> = { pleg: [], 'pod-worker': [] };
  const log: Log = {
    debug() {},
    info: (_, message) => logged.push(`info: ${message}`),
    warn: (_, message) => logged.push(`warn: ${message}`),
    error: (_, message) => logged.push(`error: ${message}`),
  };
  const mailbox = { capacity: 10_000 };
  const diary = (kind: 'pleg' | 'pod-worker') =>
    actorKind({ mailbox, make: () => ({ tell: (command: Tagged) => void told[kind].push(command) }) });
  const host = new ThreadHost({
    thread: 'here',
    life: 1,
    kinds: {
      'cri-gateway': actorKind<CriGatewayProtocol>({
        mailbox,
        make: (context) =>
          new CriGateway(context, {
            transport,
            underWay,
            creations: new LatestCreations(),
            limits: { ...defaultLaneLimits, ...limits },
            metrics,
            listeners: [PLEG],
            podThreads: ['here'],
          }),
      }),
      pleg: diary('pleg'),
      'pod-worker': diary('pod-worker'),
    },
    placement: () => 'here',
    clock,
    // Messages sent in one turn are read together, even on a busy machine.
    turns: { ...eventLoopTurns, monotonic: () => 0 },
    random: () => 0,
    log,
    report: () => {},
    escalate: () => {},
  });
  for (const address of ['pleg', 'pod-worker/a', 'cri-gateway']) await host.startActor(child(address));
  await quiet();
  const ref = host.ref(addressOf<CriGatewayProtocol>('cri-gateway'));
  const call = (method: CriMethodName, rest: Partial<CriCall> = {}, deadlineMs = 1_000_000) => {
    const question = {
      type: 'call',
      method,
      request: new Uint8Array(),
      caller: 'me',
      incarnation: 1,
      timeoutMs: 5_000,
    };
    return ref
      .ask({ ...question, ...rest } as CriCall, { deadlineMs })
      .catch((fault: unknown) => (fault instanceof ActorFault ? fault.code : fault)) as Promise<
      CriOutcome<Uint8Array> | string
    >;
  };
  return {
    host,
    clock,
    transport,
    told,
    logged,
    call,
    /** Calls for pod `uid` by the given incarnation of its worker. */
    worker: (uid: string, incarnation: number) => (method: CriMethodName) =>
      call(method, { podUid: uid, caller: `pod-worker/${uid}`, incarnation }),
    health: () => ref.ask({ type: 'runtime-health' }, { deadlineMs: 1_000 }),
    crash: async () => {
      host.crashActor('cri-gateway', new Error('boom'));
      await quiet();
    },
    /** Lets time pass in small steps, so that pending work can run. */
    pass: async (ms: number) => {
      await clock.advanceAndSettle(ms);
      await quiet();
    },
    sent: () => transport.sent.map(({ method }) => method),
    metrics: () => families.text(),
    only: (): SentCall => {
      const [only, ...more] = transport.sent;
      if (only === undefined || more.length > 0) throw new Error(`not one call: ${transport.sent.length}`);
      return only;
    },
  };
}

const settledTo = async (asked: Promise<unknown>): Promise<unknown> =>
  Promise.race([asked, quiet().then(() => 'still waiting')]);
const types = (messages: readonly Tagged[]): string[] => messages.map(({ type }) => type);

describe('a call through the gateway', () => {
  it('reaches the runtime unchanged, and returns its answer', async () => {
    const it = await gateway();
    const asked = it.call('StartContainer', { request: Uint8Array.of(1, 2), timeoutMs: 777 });
    await quiet();
    expect(it.only()).toMatchObject({ method: 'StartContainer', request: Uint8Array.of(1, 2), timeoutMs: 777 });
    it.only().answer(Uint8Array.of(9));
    await expect(asked).resolves.toEqual({ ok: true, value: Uint8Array.of(9) });
  });

  it('fails as an outcome, not as an error', async () => {
    const it = await gateway();
    const asked = it.call('StartContainer');
    await quiet();
    it.only().fail({ code: 'NOT_FOUND', detail: 'no such container' });
    await expect(asked).resolves.toEqual({ ok: false, fault: { code: 'NOT_FOUND', detail: 'no such container' } });
  });

  it('waits for its turn when its lane is full', async () => {
    const it = await gateway({ start: 1 });
    const [one, two] = [it.call('StartContainer'), it.call('CreateContainer')];
    await quiet();
    expect(it.sent()).toEqual(['StartContainer']);
    it.only().answer();
    await one;
    await quiet();
    it.only().answer();
    await expect(two).resolves.toMatchObject({ ok: true });
  });

  it('is dropped when it waited too long for its turn, and fails at once for its caller', async () => {
    const it = await gateway({ start: 1 });
    const sandboxes = Array.from({ length: 4 }, () => it.call('RunPodSandbox'));
    const late = it.call('CreateContainer');
    await it.pass(44_999);
    expect(it.sent()).toEqual(['RunPodSandbox', 'RunPodSandbox', 'RunPodSandbox', 'RunPodSandbox']);
    await it.pass(1);
    await expect(late).resolves.toMatchObject({ ok: false, fault: { code: 'NOT_MADE' } });
    for (let sent = it.transport.sent.length; sent > 0; sent--) it.transport.sent[0]?.answer();
    await Promise.all(sandboxes);
    expect(it.transport.counts.get('CreateContainer')).toBeUndefined();
    // And the lane is free again.
    void it.call('CreateContainer');
    await quiet();
    expect(it.sent()).toEqual(['CreateContainer']);
  });

  it('takes the place of a call under way for ten seconds, also of a call from an earlier incarnation', async () => {
    const it = await gateway({ start: 1 });
    void it.call('RunPodSandbox');
    await it.pass(4_000);
    await it.crash();
    void it.call('CreateContainer');
    await it.pass(5_999);
    expect(it.sent()).toEqual(['RunPodSandbox']);
    await it.pass(1);
    expect(it.sent()).toEqual(['RunPodSandbox', 'CreateContainer']);
  });

  it('is never dropped without a deadline', async () => {
    const it = await gateway({ pull: 1 });
    const asked = [it.call('PullImage', { timeoutMs: undefined }), it.call('PullImage', { timeoutMs: undefined })];
    await it.pass(59_000);
    it.only().answer();
    await asked[0];
    await quiet();
    expect(it.sent()).toEqual(['PullImage']);
  });

  it('that never ends delays the next pull by a minute at most, when pulls are serialized', async () => {
    const it = await gateway({ pull: 1 });
    void it.call('PullImage', { timeoutMs: undefined });
    void it.call('PullImage', { timeoutMs: undefined });
    await it.pass(59_000);
    expect(it.sent()).toEqual(['PullImage']);
    await it.pass(2_000);
    expect(it.sent()).toEqual(['PullImage', 'PullImage']);
  });

  it('frees its place also after its caller has stopped waiting', async () => {
    const it = await gateway({ start: 1 });
    const asked = it.call('StartContainer', {}, 100);
    await it.pass(1_000);
    await expect(asked).resolves.toBe('deadline-exceeded');
    const next = it.call('CreateContainer');
    await quiet();
    it.only().answer();
    await quiet();
    it.only().answer();
    await expect(next).resolves.toMatchObject({ ok: true });
  });
});

describe('identical concurrent reads', () => {
  it('are one call, and each caller gets its own bytes', async () => {
    const it = await gateway();
    const asked = [it.call('ListContainers'), it.call('ListContainers'), it.call('ListContainers')];
    await quiet();
    const large = new Uint8Array(100_000).fill(7);
    it.only().answer(large);
    const answers = await Promise.all(asked);
    const buffers = answers.map((answer) => (typeof answer === 'string' || !answer.ok ? answer : answer.value.buffer));
    expect(new Set(buffers).size).toBe(3);
    for (const answer of answers) expect(answer).toEqual({ ok: true, value: large });
  });

  it('share a fault, too', async () => {
    const it = await gateway();
    const asked = [it.call('ImageStatus'), it.call('ImageStatus')];
    await quiet();
    it.only().fail(NO_CONNECTION);
    for (const each of asked) await expect(each).resolves.toEqual({ ok: false, fault: NO_CONNECTION });
  });

  it('are shared while they wait for their turn', async () => {
    const it = await gateway({ status: 1 });
    void it.call('ContainerStatus');
    void it.call('ImageStatus');
    await quiet();
    void it.call('ImageStatus');
    await quiet();
    it.only().answer();
    await quiet();
    expect(it.sent()).toEqual(['ImageStatus']);
    it.only().answer();
    await quiet();
    expect(it.sent()).toEqual([]);
  });

  it('are two calls when the first was already sent: its answer may be older than the second question', async () => {
    const it = await gateway();
    void it.call('ListContainers');
    await quiet();
    void it.call('ListContainers');
    await quiet();
    expect(it.sent()).toEqual(['ListContainers', 'ListContainers']);
  });

  it.each(['ContainerStatus', 'CreateContainer', 'PullImage'] as const)('do not include %s', async (method) => {
    const it = await gateway();
    void it.call(method);
    void it.call(method);
    await quiet();
    expect(it.sent()).toEqual([method, method]);
  });
});

describe('a gateway that crashes while a container is being created', () => {
  it('fails its callers’ questions, continues with other pods, and holds the pod back until the call has settled', async () => {
    const it = await gateway();
    const lost = it.worker('a', 1)('CreateContainer');
    await quiet();
    const create = it.only();
    await it.crash();
    await expect(lost).resolves.toBe('callee-ended');

    const again = it.worker('a', 1)('CreateContainer');
    const stop = it.worker('a', 1)('StopContainer');
    const other = it.worker('b', 1)('CreateContainer');
    await quiet();
    expect(it.sent()).toEqual(['CreateContainer', 'StopContainer', 'CreateContainer']);
    it.transport.sent[2]?.answer();
    it.transport.sent[1]?.answer();
    await expect(other).resolves.toMatchObject({ ok: true });
    await expect(stop).resolves.toMatchObject({ ok: true });
    await expect(settledTo(again)).resolves.toBe('still waiting');

    create.answer();
    // The call was decided on an old status: the worker observes again, and finds the result of the first call.
    await expect(again).resolves.toMatchObject({ ok: false, fault: { code: 'INTERRUPTED' } });
    expect(it.transport.counts.get('CreateContainer')).toBe(2);
    void it.worker('a', 1)('StartContainer');
    await quiet();
    expect(it.sent()).toEqual(['StartContainer']);
  });

  it('still counts the calls of its earlier incarnation in their lane', async () => {
    const it = await gateway({ pull: 1 });
    void it.call('PullImage');
    await quiet();
    await it.crash();
    void it.call('PullImage');
    await quiet();
    expect(it.sent()).toEqual(['PullImage']);
    it.only().answer();
    await quiet();
    expect(it.sent()).toEqual(['PullImage']);
    expect(it.transport.counts.get('PullImage')).toBe(2);
  });

  it('announces the runtime’s health again, and that the event stream was interrupted', async () => {
    const it = await gateway();
    it.transport.streams[0]?.event(Uint8Array.of(1));
    await quiet();
    it.told.pleg.length = 0;
    await it.crash();
    expect(it.told.pleg).toEqual([
      { type: 'event-stream-changed', stream: 'broken' },
      expect.objectContaining({ type: 'runtime-health-changed', health: expect.objectContaining({ state: 'up' }) }),
    ]);
    // Events from the stream of the dead incarnation are ignored.
    it.transport.streams[0]?.event(Uint8Array.of(2));
    await quiet();
    expect(types(it.told.pleg)).not.toContain('container-event');
  });
});

describe('a worker that was restarted while its container was being created', () => {
  it('waits for the old call, must then observe the runtime again, and may continue', async () => {
    const it = await gateway();
    void it.worker('a', 1)('CreateContainer');
    await quiet();
    const fresh = it.worker('a', 2)('CreateContainer');
    await expect(settledTo(fresh)).resolves.toBe('still waiting');
    it.only().answer();
    await expect(fresh).resolves.toMatchObject({ ok: false, fault: { code: 'INTERRUPTED' } });
    void it.worker('a', 2)('CreateContainer');
    await quiet();
    expect(it.sent()).toEqual(['CreateContainer']);
  });
});

describe('the health of the runtime', () => {
  it('is sent to PLEG and to every pod worker as soon as it is known', async () => {
    const it = await gateway();
    const up = { state: 'up', since: 0, runtime: expect.objectContaining({ name: 'fake', networkNotReady: '' }) };
    for (const listener of ['pleg', 'pod-worker'] as const) {
      expect(it.told[listener]).toContainEqual({ type: 'runtime-health-changed', health: up });
    }
    await expect(it.health()).resolves.toEqual(up);
  });

  it('logs and announces an outage once, and its end once', async () => {
    const it = await gateway();
    it.transport.runtime = 'down';
    await it.pass(20_000);
    await expect(it.health()).resolves.toMatchObject({ state: 'down', fault: NO_CONNECTION });
    it.transport.runtime = 'up';
    await it.pass(500);
    await expect(it.health()).resolves.toMatchObject({ state: 'up' });
    expect(it.logged).toEqual([
      'info: the container runtime answers',
      'error: the container runtime does not answer; pods keep their last status, and the runtime is checked again every 0.5 s',
      'info: the container runtime answers',
    ]);
    const states = it.told['pod-worker'].map((told) => (told as unknown as { health: RuntimeHealth }).health.state);
    expect(states).toEqual(['up', 'down', 'up']);
  });

  it('is checked when a call cannot connect, not only at the next interval', async () => {
    const it = await gateway();
    const asked = it.call('StartContainer');
    await quiet();
    it.transport.runtime = 'down';
    it.only().fail(NO_CONNECTION);
    await asked;
    await quiet();
    await expect(it.health()).resolves.toMatchObject({ state: 'down' });
  });

  it.each([
    { answer: 'a fault', runtime: 'down' as const },
    { answer: 'nonsense', runtime: new Uint8Array(8).fill(0xff) },
  ])('is down when the runtime answers with $answer', async ({ runtime }) => {
    const transport = fakeTransport();
    transport.runtime = runtime;
    const it = await gateway({}, transport);
    await expect(it.health()).resolves.toMatchObject({ state: 'down' });
  });

  it('is announced when only the network condition changes, without a log line about an outage', async () => {
    const it = await gateway();
    it.transport.networkReady = false;
    await it.pass(5_000);
    await expect(it.health()).resolves.toMatchObject({ runtime: { networkNotReady: 'no network yet' } });
    expect(it.logged).not.toContain(
      'error: the container runtime does not answer; pods keep their last status, and the runtime is checked again every 0.5 s',
    );
  });

  it('makes one check at a time while the runtime hangs', async () => {
    const it = await gateway();
    it.transport.runtime = 'hangs';
    await it.pass(60_000);
    expect(it.transport.counts.get('Status')).toBe(2);
  });
});

describe('the event stream', () => {
  const events = (told: readonly Tagged[]) => told.filter(({ type }) => type !== 'runtime-health-changed').slice(1);

  it('counts as live with its first event, and forwards every event', async () => {
    const it = await gateway();
    it.transport.streams[0]?.event(Uint8Array.of(1));
    it.transport.streams[0]?.event(Uint8Array.of(2));
    await quiet();
    expect(events(it.told.pleg)).toEqual([
      { type: 'event-stream-changed', stream: 'live' },
      { type: 'container-event', event: Uint8Array.of(1) },
      { type: 'container-event', event: Uint8Array.of(2) },
    ]);
  });

  it('is reopened a second after it broke, and is live again with the next event', async () => {
    const it = await gateway();
    it.transport.streams[0]?.event(Uint8Array.of(1));
    it.transport.streams[0]?.ended(NO_CONNECTION);
    await quiet();
    expect(it.transport.streams.length).toBe(1);
    await it.pass(1_000);
    it.transport.streams[1]?.event(Uint8Array.of(2));
    await quiet();
    expect(events(it.told.pleg).flatMap((told) => ('stream' in told ? [told.stream] : []))).toEqual([
      'live',
      'broken',
      'live',
    ]);
  });

  it('is not reopened for a runtime without events, until the runtime returns from an outage', async () => {
    const it = await gateway();
    it.transport.streams[0]?.ended({ code: 'UNIMPLEMENTED', detail: 'no such method' });
    await it.pass(60_000);
    expect(events(it.told.pleg)).toEqual([{ type: 'event-stream-changed', stream: 'unsupported' }]);
    expect(it.transport.streams.length).toBe(1);
    it.transport.runtime = 'down';
    await it.pass(5_000);
    it.transport.runtime = 'up';
    await it.pass(500);
    expect(it.transport.streams.length).toBe(2);
  });

  it('is closed with the gateway', async () => {
    const it = await gateway();
    await it.host.stopActor('cri-gateway');
    expect(it.transport.streams[0]?.open).toBe(false);
  });
});

describe('the metrics of runtime operations', () => {
  it("have the kubelet's names, and count by operation type", async () => {
    const it = await gateway();
    const asked = it.call('StartContainer');
    await it.pass(20);
    it.only().answer();
    await asked;
    const failed = it.call('RunPodSandbox');
    await quiet();
    it.only().fail(NO_CONNECTION);
    await failed;
    const text = it.metrics();
    for (const line of [
      'kubelet_runtime_operations_total{operation_type="start_container"} 1',
      'kubelet_runtime_operations_total{operation_type="run_podsandbox"} 1',
      'kubelet_runtime_operations_errors_total{operation_type="run_podsandbox"} 1',
      'kubelet_runtime_operations_duration_seconds_count{operation_type="start_container"} 1',
      'kubelet_runtime_operations_duration_seconds_sum{operation_type="start_container"} 0.02',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toContain('errors_total{operation_type="start_container"}');
  });
});

describe('a gateway that is stopped in order', () => {
  it('waits for creating calls, so that no container start is interrupted', async () => {
    const { call, host, only } = await gateway();
    void call('StartContainer', { podUid: 'a' });
    await quiet();
    let stopped = false;
    const stopping = host.stopActor('cri-gateway').then(() => (stopped = true));
    await quiet();
    expect(stopped).toBe(false);
    only().answer();
    await stopping;
    expect(stopped).toBe(true);
  });

  it('does not wait for a stop call, which continues in the runtime', async () => {
    const { call, host } = await gateway();
    void call('StopContainer', { podUid: 'a' });
    await quiet();
    await expect(host.stopActor('cri-gateway')).resolves.toBeUndefined();
  });
});
