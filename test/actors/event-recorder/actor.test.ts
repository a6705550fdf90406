import { describe, expect, it } from 'vitest';
import { EventRecorder } from '../../../actors/event-recorder/actor.ts';
import type { EventFigures, EventRecorderProtocol } from '../../../actors/event-recorder/protocol.ts';
import { defaultEventLimits } from '../../../actors/event-recorder/event-writes.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import { nodeEventObject, podEventObject, type EventToRecord } from '../../../src/kube/event.ts';
import { NOW, pod } from '../../pod/pods.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const AWAY: ApiFault = { kind: 'unreachable', message: 'connection refused' };
const refused = (code: number, reason: string): ApiFault => ({ kind: 'refused', code, reason, message: reason });

async function recorder(limits: Partial<typeof defaultEventLimits> = {}) {
  const calls: ApiRequest[] = [];
  const api: { fault: ApiFault | undefined } = { fault: undefined };
  const call = async (request: ApiRequest): Promise<ApiOutcome<unknown>> => {
    calls.push(request);
    return api.fault === undefined ? { ok: true, value: request.body } : { ok: false, fault: api.fault };
  };
  const actor = await actorUnderTest<EventRecorderProtocol>({
    address: 'event-recorder',
    startMs: NOW,
    make: (context) =>
      new EventRecorder(context, {
        api: apiClient(call),
        nodeName: 'n1',
        limits: { ...defaultEventLimits, ...limits },
      }),
    others: {},
  });
  const record = (event: EventToRecord) => actor.tell({ type: 'record-event', event, at: actor.clock.now() });
  const figures = () => actor.ask({ type: 'event-figures' }) as Promise<EventFigures>;
  return { ...actor, calls, api, record, figures };
}

const started: EventToRecord = {
  object: podEventObject(pod(), 'main'),
  type: 'Normal',
  reason: 'Started',
  message: 'Container started',
};

describe('the event recorder', () => {
  it('creates an event as other kubelets do', async () => {
    const { record, calls } = await recorder();
    await record(started);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      verb: 'create',
      path: '/api/v1/namespaces/shop/events',
      priority: 'event',
      body: {
        kind: 'Event',
        involvedObject: { kind: 'Pod', name: 'web', uid: 'uid-1', fieldPath: 'spec.containers{main}' },
        type: 'Normal',
        reason: 'Started',
        message: 'Container started',
        source: { component: 'kubelet', host: 'n1' },
        count: 1,
        reportingComponent: 'kubelet',
        reportingInstance: 'n1',
      },
    });
  });

  it('gives the event of an object with the longest name a valid name', async () => {
    const { record, calls } = await recorder();
    await record({ ...started, object: { ...started.object, name: `${'a'.repeat(234)}.${'b'.repeat(18)}` } });
    const { name = '' } = Object(calls[0]?.body)['metadata'] as { name?: string };
    expect(name).toMatch(/^a+\.b*\.?[0-9a-f]+$/);
    expect(name.length).toBeLessThanOrEqual(253);
  });

  it('writes node events into the default namespace', async () => {
    const { record, calls } = await recorder();
    await record({ object: nodeEventObject('n1'), type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
    expect(calls[0]?.path).toBe('/api/v1/namespaces/default/events');
  });

  it('counts repeated events', async () => {
    const { record, calls, pass } = await recorder();
    await record(started);
    await pass(5_000);
    await record(started);
    expect(calls[1]).toMatchObject({ verb: 'patch', body: { count: 2, message: 'Container started' } });
    const created = calls[0]?.body as { readonly metadata: { readonly name: string } } | undefined;
    expect(calls[1]?.path).toBe(`/api/v1/namespaces/shop/events/${created?.metadata.name}`);
  });

  it('creates an event again that the API has deleted', async () => {
    const { record, calls, api } = await recorder();
    await record(started);
    api.fault = refused(404, 'NotFound');
    await record(started);
    api.fault = undefined;
    expect(calls.map(({ verb }) => verb)).toEqual(['create', 'patch', 'create']);
  });

  it('waits while the API is away, counts repetitions, and writes when it is back', async () => {
    const { record, calls, api, pass } = await recorder();
    api.fault = AWAY;
    for (let times = 0; times < 5; times += 1) await record(started);
    expect(calls).toHaveLength(1);
    await pass(60_000);
    expect(calls.length).toBeLessThan(10);
    api.fault = undefined;
    calls.length = 0;
    await pass(15_000);
    expect(calls).toMatchObject([{ verb: 'create', body: { count: 5 } }]);
  });

  it('treats an event whose answer was lost as written', async () => {
    const { record, calls, api, pass, figures } = await recorder();
    api.fault = { kind: 'timed-out', message: 'no answer' };
    await record(started);
    api.fault = refused(409, 'AlreadyExists');
    await pass(1_000);
    api.fault = undefined;
    await pass(1_000);
    expect(calls.map(({ verb }) => verb)).toEqual(['create', 'create', 'patch']);
    expect((await figures()).waiting).toBe(0);
  });

  it('drops the oldest of too many, and logs it', async () => {
    const { record, api, figures, pass, logged } = await recorder({ waiting: 3 });
    api.fault = AWAY;
    for (let index = 0; index < 6; index += 1) {
      await record({ ...started, object: { ...started.object, name: `web-${index}` } });
    }
    expect(await figures()).toMatchObject({ recorded: 6, dropped: 3, waiting: 3 });
    await pass(60_000);
    expect(logged).toContain('warn: events could not be written to the API and were dropped');
  });

  it('drops events that are too old', async () => {
    const { record, api, figures, pass } = await recorder();
    api.fault = AWAY;
    await record(started);
    await pass(660_000);
    expect(await figures()).toMatchObject({ dropped: 1, waiting: 0 });
  });

  it('does not retry an event that the API rejects', async () => {
    const { record, calls, api, figures, pass } = await recorder();
    api.fault = refused(403, 'Forbidden');
    await record(started);
    await pass(60_000);
    expect(calls).toHaveLength(1);
    expect(await figures()).toMatchObject({ dropped: 1, waiting: 0 });
  });
});
