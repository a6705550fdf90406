import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, LifecycleHandler, Pod } from '../../../src/kube/pod.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { runHook } from './run-hook.ts';
import type { PodWorkerTools, PreStopRun } from '../tools.ts';
import { within } from '../../../src/actor/in-time.ts';
import { PORTS_ANNOTATION, PRE_STOP_ANNOTATION } from '../../../src/pod/values/pod-labels.ts';

/** The tools for stopping a container. */
export type StopTools = Pick<
  PodWorkerTools,
  'node' | 'clock' | 'runtime' | 'httpGet' | 'reports' | 'stops' | 'hostNetworkIps'
>;

export interface Stopping {
  /** `undefined` for a pod that only the runtime knows. */
  readonly pod: Pod | undefined;
  readonly runtime: Pick<RuntimePodStatus, 'uid' | 'ips'> & Partial<Pick<RuntimePodStatus, 'name' | 'namespace'>>;
  readonly container: StoppedContainer;
  readonly withinMs: number;
}

/** The facts needed to stop a container. */
export interface StoppedContainer {
  readonly id: ContainerId;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Longer than a stop takes once the grace period is over. */
const HOOK_OUTLIVES_MS = 5_000;

/**
 * Runs the preStop hook of a container, if it has one, for at most the grace period. The container has the rest
 * (`src/pod/sync/grace-period.ts`), and is stopped whatever the hook's result. A second stop of the same container waits
 * for the first stop's hook.
 */
export async function preStop(tools: StopTools, stopping: Stopping): Promise<void> {
  const { pod, container, withinMs } = stopping;
  const hook = hookOf(pod, container);
  if (hook === undefined) return;
  const { id } = container;
  const run = tools.stops.preStopHooks.get(id) ?? begin(tools, hook, stopping);
  tools.stops.preStopHooks.set(id, run);
  const end = await within(tools.clock, withinMs, run.ended);
  if (end === 'done' || run.isFailureReported) return;
  // A sleep that is cut short has not failed.
  if (end === 'time-up' && hook.handler.sleep !== undefined) return;
  run.isFailureReported = true;
  const { name } = container;
  tools.reports.event({ type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed', container: name });
}

const begin = (tools: StopTools, hook: Hook, stopping: Stopping): PreStopRun => ({
  ended: runPreStop(tools, hook, stopping),
  isFailureReported: false,
});

interface Hook {
  readonly container: Container;
  readonly handler: LifecycleHandler;
}

async function runPreStop(
  tools: StopTools,
  { container, handler }: Hook,
  stopping: Stopping,
): Promise<'failed' | 'done'> {
  const { pod, runtime, withinMs } = stopping;
  const failure = await runHook(tools, handler, {
    pod: {
      uid: runtime.uid,
      name: pod?.metadata.name ?? runtime.name ?? '',
      namespace: pod?.metadata.namespace ?? runtime.namespace ?? '',
    },
    container,
    id: stopping.container.id,
    podIp: (pod?.spec.hostNetwork === true ? tools.hostNetworkIps() : runtime.ips)[0] ?? '',
    // The caller stops waiting first. The hook then has until its container is killed.
    withinMs: withinMs + HOOK_OUTLIVES_MS,
  });
  return failure === undefined ? 'done' : 'failed';
}

/** Returns the hook from the pod's spec, or from the runtime's annotations. */
function hookOf(pod: Pod | undefined, { name, annotations }: StoppedContainer): Hook | undefined {
  const { containers = [], initContainers = [] } = pod?.spec ?? {};
  const container = [...containers, ...initContainers].find((each) => each.name === name);
  if (container !== undefined) {
    const handler = container.lifecycle?.preStop;
    return handler === undefined ? undefined : { container, handler };
  }
  // This agent, or another kubelet, wrote them as JSON of the API's own shape.
  const noted: LifecycleHandler | undefined = parsed(annotations[PRE_STOP_ANNOTATION]);
  if (noted === undefined) return undefined;
  // Written together with the hook.
  const ports = (parsed(annotations[PORTS_ANNOTATION]) ?? []) as NonNullable<Container['ports']>;
  return { container: { name, image: '', ports }, handler: noted };
}

function parsed(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
