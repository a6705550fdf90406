import type { Clock } from '../../src/actor/clock.ts';
import type { CriFault } from '../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../src/kube/ids.ts';
import type { Container, Pod } from '../../src/kube/pod.ts';
import { containerGracePeriod, stopTimeoutSeconds } from '../../src/pod/grace-period.ts';
import type { ContainerToKill } from '../../src/pod/pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { Touched } from './protocol.ts';
import type { PodWorkerTools } from './round.ts';
import { stopsAfter } from './stop-order.ts';

export interface Stopped {
  readonly touched: Touched;
  /** The first failure. What could be stopped all the same has been. */
  readonly failed: string | undefined;
}

interface StopPlan {
  /** Undefined for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly runtime: RuntimePodStatus;
  /** The pod's grace period in seconds, when the pod as a whole goes away. */
  readonly graceSeconds?: number;
}

/** Every running container at once, sidecars after those they serve, then every sandbox, ready or not. */
export async function stopEverything(tools: PodWorkerTools, plan: StopPlan): Promise<Stopped> {
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

/** One after the other; the first failure ends it. */
export async function stopContainers(
  tools: PodWorkerTools,
  plan: StopPlan & { readonly wanted: readonly ContainerToKill[] },
): Promise<Stopped> {
  const touched: (readonly [ContainerId, SandboxId | undefined])[] = [];
  for (const why of plan.wanted) {
    const container = plan.runtime.containers.find(({ id }) => id === why.id);
    if (container === undefined) continue;
    touched.push(withSandbox(container));
    const failed = await stopContainer(tools, plan, { container, why, awaited: [] });
    if (failed !== undefined) return { touched: { sandboxes: [], containers: touched }, failed };
  }
  return { touched: { sandboxes: [], containers: touched }, failed: undefined };
}

const withSandbox = ({ id, sandboxId }: RuntimeContainer) => [id, sandboxId] as const;

interface ContainerStop {
  readonly container: RuntimeContainer;
  readonly why?: ContainerToKill;
  /** The ends of those it serves: it is stopped after them, but within its own grace period. */
  readonly awaited: readonly Promise<void>[];
}

async function stopContainer(
  tools: PodWorkerTools,
  { pod, runtime, graceSeconds }: StopPlan,
  { container, why, awaited }: ContainerStop,
): Promise<string | undefined> {
  const grace = graceOf({ pod, graceSeconds, container, why });
  const { name } = container;
  tools.event({
    type: 'Normal',
    reason: 'Killing',
    message: why?.message ?? `Stopping container ${name}`,
    container: name,
  });
  const waitedMs = awaited.length === 0 || grace <= 0 ? 0 : await waited(tools.clock, awaited, grace * 1000);
  const seconds = stopTimeoutSeconds(grace, waitedMs);
  const outcome = await tools.cri.call(
    'StopContainer',
    { containerId: container.id, timeout: BigInt(seconds) },
    { podUid: runtime.uid, timeoutMs: tools.requestTimeoutMs + seconds * 1000 },
  );
  return outcome.ok ? undefined : unlessGone(outcome.fault, `container ${container.name}`);
}

/** How long it took until all had ended, or the time was up. */
async function waited(clock: Clock, ends: readonly Promise<void>[], atMostMs: number): Promise<number> {
  const began = clock.monotonic();
  const timeUp = Promise.withResolvers<void>();
  const cancel = clock.after(atMostMs, timeUp.resolve);
  await Promise.race([Promise.all(ends), timeUp.promise]);
  cancel();
  return clock.monotonic() - began;
}

function graceOf(input: {
  readonly pod: Pod | undefined;
  readonly graceSeconds: number | undefined;
  readonly container: RuntimeContainer;
  readonly why: ContainerToKill | undefined;
}): number {
  const { pod, graceSeconds, container, why } = input;
  const spec = pod === undefined ? undefined : specOf(pod, container.name);
  if (pod === undefined || spec === undefined) {
    const noted = Number(container.annotations['io.kubernetes.pod.terminationGracePeriod'] ?? 0);
    return graceSeconds ?? (Number.isFinite(noted) ? noted : 0);
  }
  return containerGracePeriod({
    pod,
    container: spec,
    ...(why === undefined ? {} : { reason: why.reason }),
    ...(graceSeconds === undefined ? {} : { override: graceSeconds }),
  });
}

const specOf = ({ spec }: Pod, name: string): Container | undefined =>
  [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].find(
    (each) => each.name === name,
  );

async function stopSandbox(tools: PodWorkerTools, podUid: string, id: SandboxId): Promise<string | undefined> {
  const outcome = await tools.cri.call('StopPodSandbox', { podSandboxId: id }, { podUid });
  return outcome.ok ? undefined : unlessGone(outcome.fault, `sandbox ${id}`);
}

const unlessGone = (fault: CriFault, what: string): string | undefined =>
  fault.code === 'NOT_FOUND' ? undefined : `stopping ${what} failed: ${fault.detail}`;
