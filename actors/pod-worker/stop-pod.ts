import type { CriFault } from '../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../src/kube/ids.ts';
import type { Container, Pod } from '../../src/kube/pod.ts';
import { containerGracePeriod, stopTimeoutSeconds } from '../../src/pod/grace-period.ts';
import type { ContainerToKill } from '../../src/pod/pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { Touched } from './protocol.ts';
import type { PodWorkerTools } from './round.ts';

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

/** Every running container at once, then every sandbox, ready or not. */
export async function stopEverything(tools: PodWorkerTools, plan: StopPlan): Promise<Stopped> {
  const { runtime } = plan;
  const running = runtime.containers.filter(({ state }) => state === 'running' || state === 'unknown');
  const faults = await Promise.all(running.map((container) => stopContainer(tools, plan, { container })));
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
    const failed = await stopContainer(tools, plan, { container, why });
    if (failed !== undefined) return { touched: { sandboxes: [], containers: touched }, failed };
  }
  return { touched: { sandboxes: [], containers: touched }, failed: undefined };
}

const withSandbox = ({ id, sandboxId }: RuntimeContainer) => [id, sandboxId] as const;

async function stopContainer(
  tools: PodWorkerTools,
  { pod, runtime, graceSeconds }: StopPlan,
  { container, why }: { readonly container: RuntimeContainer; readonly why?: ContainerToKill },
): Promise<string | undefined> {
  const seconds = stopTimeoutSeconds(graceOf({ pod, graceSeconds, container, why }), 0);
  tools.event({ type: 'Normal', reason: 'Killing', message: why?.message ?? `Stopping container ${container.name}` });
  const outcome = await tools.cri.call(
    'StopContainer',
    { containerId: container.id, timeout: BigInt(seconds) },
    { podUid: runtime.uid, timeoutMs: tools.requestTimeoutMs + seconds * 1000 },
  );
  return outcome.ok ? undefined : unlessGone(outcome.fault, `container ${container.name}`);
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
    return graceSeconds ?? Number(container.annotations['io.kubernetes.pod.terminationGracePeriod'] ?? 0);
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
