import { describe, expect, it } from 'vitest';
import { type ContainerEventResponse, ContainerEventType, ContainerState } from '../../../../src/cri/gen/api.ts';
import type { EventPlan } from '../../../../src/embedded/runtime/inventory/event-feed.ts';
import { simulate } from '../simulate.ts';

const { CONTAINER_CREATED_EVENT: CREATED, CONTAINER_STARTED_EVENT: STARTED } = ContainerEventType;
const { CONTAINER_STOPPED_EVENT: STOPPED, CONTAINER_DELETED_EVENT: DELETED } = ContainerEventType;

async function wholeLife(
  events: EventPlan,
): Promise<{ pod: string; container: string; heard: ContainerEventResponse[] }> {
  const runtime = simulate({}, { events });
  const heard: ContainerEventResponse[] = [];
  runtime.core.getContainerEvents((event) => heard.push(event));
  const pod = await runtime.runPod('web');
  const container = await runtime.start(pod, 'main');
  runtime.core.stopPodSandbox({ podSandboxId: pod });
  runtime.core.removePodSandbox({ podSandboxId: pod });
  await runtime.clock.advanceAndSettle(1000);
  return { pod, container, heard };
}

describe('container events', () => {
  it('cover a pod’s life, with the sandbox under its own ID', async () => {
    const { pod, container, heard } = await wholeLife('on');
    expect(heard.map(({ containerId, containerEventType }) => [containerId, containerEventType])).toEqual([
      [pod, CREATED],
      [pod, STARTED],
      [container, CREATED],
      [container, STARTED],
      [container, STOPPED],
      [pod, STOPPED],
      [container, DELETED],
      [pod, DELETED],
    ]);
    const times = heard.map(({ createdAt }) => createdAt);
    expect(new Set(times).size).toBe(times.length);
    expect([...times].sort((a, b) => (a < b ? -1 : 1))).toEqual(times);
  });

  it('carry the whole pod as of the event', async () => {
    const { pod, container, heard } = await wholeLife({ delayMs: 500 });
    const started = heard.find((event) => event.containerId === container && event.containerEventType === STARTED);
    expect(started).toMatchObject({
      podSandboxStatus: { id: pod, network: { ip: '10.88.0.2' } },
      containersStatuses: [{ id: container, state: ContainerState.CONTAINER_RUNNING }],
    });
  });

  it.each([
    { plan: { dropEvery: 4 }, count: 6 },
    { plan: { duplicateEvery: 3 }, count: 10 },
    { plan: { delayMs: 1001 }, count: 0 },
    { plan: { delayMs: 1000 }, count: 8 },
    { plan: {}, count: 8 },
  ])('with $plan arrive $count times', async ({ plan, count }) => {
    expect((await wholeLife(plan)).heard.length).toBe(count);
  });

  it('are Unimplemented when they are off', () => {
    const listen = (): unknown => simulate({}, { events: 'off' }).core.getContainerEvents(() => {});
    expect(listen).toThrow(expect.objectContaining({ code: 'Unimplemented' }));
  });

  it('end with the subscription', async () => {
    const runtime = simulate();
    const heard: unknown[] = [];
    runtime.core.getContainerEvents((event) => heard.push(event))();
    await runtime.runPod('web');
    expect(heard).toEqual([]);
  });
});
