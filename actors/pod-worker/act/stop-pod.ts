import type { MonotonicMs } from '../../../src/actor/clock.ts';
import { rpcErrorText, type CriFault } from '../../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../../src/kube/ids.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { containerGracePeriod, stopTimeoutSeconds } from '../../../src/pod/sync/grace-period.ts';
import type { ContainerToKill, KillReason } from '../../../src/pod/sync/pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { preStop, type StoppedContainer, type Stopping, type StopTools } from './pre-stop.ts';
import type { Touched } from '../protocol.ts';
import type { PodWorkerTools, PendingStop } from '../tools.ts';
import { stopsAfter } from '../../../src/pod/sync/stop-order.ts';
import { within } from '../../../src/actor/in-time.ts';
import { TERMINATION_GRACE_ANNOTATION } from '../../../src/pod/values/pod-labels.ts';

export interface Stopped {
  readonly touched: Touched;
  /** The first failure. Everything else that could be stopped was stopped. */
  readonly failed: string | undefined;
}

interface StopPlan {
  /** `undefined` for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly runtime: RuntimePodStatus;
  /** The pod's grace period in seconds, when the whole pod is removed. */
  readonly graceSeconds?: number;
}

/** Stops all running containers at once, sidecars after the containers they serve, then every sandbox, ready or not. */
export async function stopEverything(tools: StopTools, plan: StopPlan): Promise<Stopped> {
  const { runtime, pod } = plan;
  const running = runtime.containers.filter(({ state }) => state === 'running' || state === 'unknown');
  const ends = new Map(running.map(({ name }) => [name, Promise.withResolvers<void>()]));
  const stop = async (container: RuntimeContainer): Promise<string | undefined> => {
    const before = pod === undefined ? [] : stopsAfter(pod, container.name);
    const awaited = before.flatMap((name) => ends.get(name)?.promise ?? []);
    const failed = await stopContainer(tools, plan, { container, awaited });
    ends.get(container.name)?.resolve();
    return failed;
  };
  const faults = await Promise.all(running.map(stop));
  const sandboxFaults = await Promise.all(runtime.sandboxes.map(({ id }) => stopSandbox(tools, runtime.uid, id)));
  return {
    touched: { sandboxes: runtime.sandboxes.map(({ id }) => id), containers: running.map(withSandbox) },
    failed: [...faults, ...sandboxFaults].find((fault) => fault !== undefined),
  };
}

/** Stops the containers one after the other; the first failure ends it. */
export async function stopContainers(
  tools: StopTools,
  plan: StopPlan & { readonly wanted: readonly ContainerToKill[] },
): Promise<Stopped> {
  const touched: (readonly [ContainerId, SandboxId | undefined])[] = [];
  for (const why of plan.wanted) {
    const container = plan.runtime.containers.find(({ id }) => id === why.id);
    if (container === undefined) continue;
    touched.push(withSandbox(container));
    const failed = await stopContainer(tools, plan, { container, why });
    if (failed !== undefined) return { touched: { sandboxes: [], containers: touched }, failed };
  }
  return { touched: { sandboxes: [], containers: touched }, failed: undefined };
}

const withSandbox = ({ id, sandboxId }: RuntimeContainer) => [id, sandboxId] as const;

interface ContainerStop {
  readonly container: StoppedContainer;
  readonly why?: { readonly message: string; readonly reason?: KillReason };
  /** Ends of the containers that a sidecar serves. It stops after them, but within its own grace period. */
  readonly awaited?: readonly Promise<void>[];
}

/** Runs the hook, waits for the stop order, stops the container: all within one grace period. Returns the failure. */
export async function stopContainer(
  tools: StopTools,
  { pod, runtime, graceSeconds }: Omit<Stopping, 'container' | 'withinMs'> & Pick<StopPlan, 'graceSeconds'>,
  { container, why, awaited = [] }: ContainerStop,
): Promise<string | undefined> {
  const grace = graceOf({ pod, graceSeconds, container, why });
  const { name } = container;
  tools.reports.event({
    type: 'Normal',
    reason: 'Killing',
    message: why?.message ?? `Stopping container ${name}`,
    container: name,
  });
  const began = tools.clock.monotonic();
  const leftMs = (): number => grace * 1000 - (tools.clock.monotonic() - began);
  if (grace > 0) await preStop(tools, { pod, runtime, container, withinMs: grace * 1000 });
  if (awaited.length > 0 && leftMs() > 0) await within(tools.clock, leftMs(), Promise.all(awaited));
  const overtaking = tools.stops.containers.get(container.id);
  if (overtaking !== undefined && isOvertaken(overtaking, { began, deadline: began + grace * 1000 }))
    return overtaking.failed;
  const seconds = stopTimeoutSeconds(grace, tools.clock.monotonic() - began);
  const stop: PendingStop = {
    deadline: began + grace * 1000,
    endedAt: undefined,
    failed: callStop(tools, container, { podUid: runtime.uid, seconds }),
  };
  tools.stops.containers.set(container.id, stop);
  const failed = await stop.failed;
  if (failed === undefined) stop.endedAt = tools.clock.monotonic();
  else if (tools.stops.containers.get(container.id) === stop) tools.stops.containers.delete(container.id);
  return failed;
}

/** Returns `true` if a later stop with a shorter grace period does the same work or has done it. */
const isOvertaken = (
  { deadline, endedAt }: PendingStop,
  own: { readonly began: MonotonicMs; readonly deadline: MonotonicMs },
) => (endedAt === undefined ? deadline <= own.deadline : endedAt >= own.began);

async function callStop(
  tools: Pick<PodWorkerTools, 'runtime'>,
  { id, name }: StoppedContainer,
  { podUid, seconds }: { readonly podUid: string; readonly seconds: number },
): Promise<string | undefined> {
  const outcome = await tools.runtime.cri.call(
    'StopContainer',
    { containerId: id, timeout: BigInt(seconds) },
    { podUid, timeoutMs: tools.runtime.requestTimeoutMs + seconds * 1000 },
  );
  return outcome.ok ? undefined : unlessGone(outcome.fault, { call: 'KillContainer', what: name });
}

function graceOf(input: {
  readonly pod: Pod | undefined;
  readonly graceSeconds: number | undefined;
  readonly container: StoppedContainer;
  readonly why: ContainerStop['why'];
}): number {
  const { pod, graceSeconds, container, why } = input;
  const spec = pod === undefined ? undefined : specOf(pod, container.name);
  if (pod === undefined || spec === undefined) {
    const noted = Number(container.annotations[TERMINATION_GRACE_ANNOTATION] ?? 0);
    return graceSeconds ?? (Number.isFinite(noted) ? noted : 0);
  }
  return containerGracePeriod({
    pod,
    container: spec,
    ...(why?.reason === undefined ? {} : { reason: why.reason }),
    ...(graceSeconds === undefined ? {} : { override: graceSeconds }),
  });
}

const specOf = ({ spec }: Pod, name: string): Container | undefined =>
  [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].find(
    (each) => each.name === name,
  );

async function stopSandbox(
  tools: Pick<PodWorkerTools, 'runtime'>,
  podUid: string,
  id: SandboxId,
): Promise<string | undefined> {
  const outcome = await tools.runtime.cri.call('StopPodSandbox', { podSandboxId: id }, { podUid });
  return outcome.ok ? undefined : unlessGone(outcome.fault, { call: 'KillPodSandbox', what: id });
}

/** In the words of the kubelet's event, which tools match on. */
const unlessGone = (fault: CriFault, { call, what }: { readonly call: string; readonly what: string }) =>
  fault.code === 'NOT_FOUND'
    ? undefined
    : `failed to "${call}" for "${what}" with ${call}Error: "${rpcErrorText(fault)}"`;
