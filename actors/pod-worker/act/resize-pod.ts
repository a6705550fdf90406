import { asRead } from '../../../src/cgroups/cgroup-reads.ts';
import type { CgroupValues } from '../../../src/cgroups/cgroup-values.ts';
import { ContainerStatsRequest, UpdateContainerResourcesRequest } from '../../../src/cri/gen/api.ts';
import { rpcErrorText } from '../../../src/cri/fault.ts';
import type { Container, Pod, ResourceRequirements } from '../../../src/kube/pod.ts';
import { quantityNano, quantityValue } from '../../../src/kube/quantity.ts';
import { latestContainer } from '../../../src/pod/values/latest-container.ts';
import { containerResources } from '../../../src/pod/cri-config/linux-resources.ts';
import {
  changedResources,
  resizableContainers,
  withPodLimits,
  type Resizable,
} from '../../../src/pod/sync/pod-resizes.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { actuatedResources, actuatedWhole, WHOLE } from '../decide/resizing.ts';
import type { ResizeResult } from '../decide/step-result.ts';
import { PodCgroup } from './pod-cgroup.ts';
import type { DecidedActions, SyncAttempt } from './sync-attempt.ts';

interface Resized {
  readonly container: Container;
  readonly before: Container;
  readonly running: RuntimeContainer;
  /** `true` if the container keeps running. Otherwise it is recreated with its new resources. */
  readonly inPlace: boolean;
}

/** The pod's cgroup gets more before its containers do, and less after them. */
type Step = 'limit' | 'request' | 'containers';

/**
 * Applies the allocated resources to running containers (KEP-1287): memory first, then CPU. `undefined` when nothing is
 * to be resized.
 */
export async function resizePod(attempt: SyncAttempt): Promise<ResizeResult | undefined> {
  const resized = resizedContainers(attempt.decided);
  const { resizesPod, finishesResize } = attempt.decided.actions;
  if (resized.length === 0 && resizesPod !== true && finishesResize !== true) return undefined;
  const { clock, reports } = attempt.tools;
  const began = clock.monotonic();
  const result = await resizeAll(attempt, resized);
  reports.metrics?.resized(clock.monotonic() - began, result.failure === undefined ? 'done' : 'failed');
  return result;
}

async function resizeAll(attempt: SyncAttempt, resized: readonly Resized[]): Promise<ResizeResult> {
  const { pod, decided, tools } = attempt;
  const version = tools.node.cgroupVersion;
  const cgroup = PodCgroup.of(attempt);
  if (typeof cgroup === 'string') return refusedResize(cgroup);
  const refusal = await memoryRefusal(attempt, cgroup, resized);
  if (refusal !== undefined) return refusedResize(refusal);
  const isWhole = decided.actions.resizesPod === true;
  let whole = actuatedWhole(decided.resizing, pod);
  const results: ResizeResult[] = [];
  for (const name of RESIZED_IN_ORDER) {
    const changed = changedContainers(resized, { pod, whole, name });
    const present = asRead(cgroup.present, version);
    const wanted = asRead(cgroup.wanted, version);
    for (const step of stepsOf(name, present, wanted)) {
      const result =
        step === 'containers'
          ? await updateContainers(attempt, changed, { name, whole })
          : notResized(await cgroup.change(partOf(cgroup.wanted, name, step)));
      results.push(result);
      if (result.failure !== undefined) return together(results);
    }
    if (!isWhole || pod.spec.resources === undefined) continue;
    // A retry does not repeat the resource that is done.
    whole =
      name === 'cpu' ? pod.spec.resources : withMemoryOf({ ...pod.spec, resources: whole ?? {} }, pod.spec).resources;
    if (whole === undefined) continue;
    const actuated = [WHOLE, whole] as const;
    attempt.actuated.save(actuated);
    results.push({ ...RESIZED, actuated: [actuated] });
  }
  return together(results);
}

const RESIZED_IN_ORDER = ['memory', 'cpu'] as const;

/** Returns the containers of which one resource changes. Those that get less of it come first. */
export function changedContainers(
  resized: readonly Resized[],
  {
    pod,
    whole,
    name,
  }: { readonly pod: Pod; readonly whole: ResourceRequirements | undefined; readonly name: Resizable },
): readonly Resized[] {
  const less: Resized[] = [];
  const more: Resized[] = [];
  for (const each of resized) {
    const wanted = withPodLimits(each.container.resources, pod.spec.resources);
    const present = withPodLimits(each.before.resources, whole);
    if (!changedResources(wanted, present).includes(name)) continue;
    if (isLess(wanted, present, name)) less.unshift(each);
    else more.push(each);
  }
  return [...less, ...more];
}

/** The limit counts, or the request if the limit stays. */
function isLess(
  wanted: ResourceRequirements | undefined,
  present: ResourceRequirements | undefined,
  name: Resizable,
): boolean {
  const nano = (resources: ResourceRequirements | undefined, kind: 'limits' | 'requests') =>
    quantityNano(resources?.[kind]?.[name]);
  const kind = nano(wanted, 'limits') === nano(present, 'limits') ? 'requests' : 'limits';
  return nano(wanted, kind) < nano(present, kind);
}

const RESIZED: ResizeResult = { type: 'resized', touched: [], actuated: [], failure: undefined };

const notResized = (failure: string | undefined): ResizeResult => ({ ...RESIZED, failure });

/** Nothing was tried. */
const refusedResize = (failure: string): ResizeResult => ({ ...RESIZED, failure, refused: true });

const together = (results: readonly ResizeResult[]): ResizeResult => ({
  type: 'resized',
  touched: results.flatMap(({ touched }) => touched),
  actuated: results.flatMap(({ actuated }) => actuated),
  failure: results.at(-1)?.failure,
});

function resizedContainers({ pod, actions, runtime, resizing }: DecidedActions): readonly Resized[] {
  const killed = new Set(actions.containersToKill.filter(({ reason }) => reason === 'resize').map(({ id }) => id));
  return resizableContainers(pod).flatMap((container) => {
    const running = latestContainer(runtime, container.name);
    if (running === undefined) return [];
    const inPlace = actions.containersToResize.includes(running.id);
    if (!inPlace && !killed.has(running.id)) return [];
    const resources = actuatedResources(resizing, container, running);
    const before = { ...container, ...(resources && { resources }) };
    return [{ container, before, running, inPlace }];
  });
}

/** Returns the steps for one resource, in order. */
export function stepsOf(name: Resizable, before: CgroupValues, after: CgroupValues): readonly Step[] {
  const [limit, request] = [
    change(limitOf(before, name), limitOf(after, name)),
    name === 'cpu' ? shares(before, after) : 0,
  ];
  return [
    ...(limit > 0 ? (['limit'] as const) : []),
    ...(request > 0 ? (['request'] as const) : []),
    'containers',
    ...(request < 0 ? (['request'] as const) : []),
    ...(limit < 0 ? (['limit'] as const) : []),
  ];
}

const shares = ({ cpuShares: before = 0n }: CgroupValues, { cpuShares: after = 0n }: CgroupValues): number =>
  Number(after - before);

/** A removed limit counts as unchanged: 0. */
const change = (before: bigint | undefined, after: bigint | undefined): number =>
  after === undefined || before === after ? 0 : before !== undefined && after > before ? 1 : -1;

function limitOf({ cpuQuota, memoryLimitBytes }: CgroupValues, name: Resizable): bigint | undefined {
  if (name === 'memory') return memoryLimitBytes;
  return cpuQuota === undefined || cpuQuota.microseconds === 'unlimited' ? undefined : cpuQuota.microseconds;
}

function partOf({ cpuQuota, cpuShares, memoryLimitBytes }: CgroupValues, name: Resizable, step: Step): CgroupValues {
  if (name === 'memory') return memoryLimitBytes === undefined ? {} : { memoryLimitBytes };
  if (step === 'limit') return cpuQuota === undefined ? {} : { cpuQuota };
  return cpuShares === undefined ? {} : { cpuShares };
}

async function updateContainers(
  attempt: SyncAttempt,
  changed: readonly Resized[],
  { name, whole }: { readonly name: Resizable; readonly whole: ResourceRequirements | undefined },
): Promise<ResizeResult> {
  const { pod, tools } = attempt;
  // CPU comes after memory: until then it stays as it is.
  const before = { ...pod.spec, ...(whole && { resources: whole }) };
  const meanwhile = { ...pod, spec: withMemoryOf(before, pod.spec) };
  const results: ResizeResult[] = [];
  for (const { container, before, running, inPlace } of changed) {
    if (!inPlace) continue;
    const given = name === 'memory' ? withMemoryOf(before, container) : container;
    const ofPod = name === 'memory' ? meanwhile : pod;
    const linux = containerResources({ pod: ofPod, container: given, qos: qosClass(pod), node: tools.node });
    const request = UpdateContainerResourcesRequest.fromPartial({ containerId: running.id, linux });
    const options = { podUid: pod.metadata.uid };
    const updated = await tools.runtime.cri.call('UpdateContainerResources', request, options);
    const touched = [[running.id, running.sandboxId]] as const;
    if (!updated.ok) return together([...results, { ...notResized(rpcErrorText(updated.fault)), touched }]);
    const actuated = [running.id, given.resources ?? {}] as const;
    attempt.actuated.save(actuated);
    results.push({ ...RESIZED, touched, actuated: [actuated] });
  }
  return together(results);
}

function withMemoryOf<T extends { readonly resources?: ResourceRequirements }>(before: T, after: T): T {
  if (after.resources === undefined) return after;
  const part = (kind: 'limits' | 'requests') => {
    const { memory: _before, ...rest } = before.resources?.[kind] ?? {};
    const memory = after.resources?.[kind]?.['memory'];
    const list = { ...rest, ...(memory !== undefined && { memory }) };
    return Object.keys(list).length === 0 ? {} : { [kind]: list };
  };
  return {
    ...after,
    resources: { ...after.resources, limits: {}, requests: {}, ...part('limits'), ...part('requests') },
  };
}

/**
 * Refuses a memory limit below the current usage: the kernel would kill the container. `undefined` when the limit is
 * high enough.
 */
async function memoryRefusal(
  { pod, tools, decided: { runtime } }: SyncAttempt,
  { present, wanted }: Pick<PodCgroup, 'present' | 'wanted'>,
  resized: readonly Resized[],
): Promise<string | undefined> {
  const podAfter = wanted.memoryLimitBytes;
  const lower = resized.filter(
    ({ container, before: had, inPlace }) => inPlace && isLower(memoryLimit(had), memoryLimit(container)),
  );
  const isPodLower = isLower(present.memoryLimitBytes, podAfter);
  const measured = isPodLower ? runningContainers(pod, runtime) : lower;
  if (measured.length === 0) return undefined;
  const problems: string[] = [];
  let total = 0n;
  for (const { container, running } of measured) {
    const request = ContainerStatsRequest.fromPartial({ containerId: running.id });
    const stats = await tools.runtime.cri.call('ContainerStats', request, { podUid: pod.metadata.uid });
    if (!stats.ok) return `cannot decrease memory limits: its usage is not known: ${rpcErrorText(stats.fault)}`;
    const { usageBytes, workingSetBytes } = stats.value.stats?.memory ?? {};
    const used = usageBytes?.value ?? workingSetBytes?.value ?? 0n;
    total += used;
    const limit = memoryLimit(container) ?? 0n;
    if (lower.some((each) => each.running.id === running.id) && used >= limit) {
      problems.push(
        `attempting to set container "${container.name}" memory limit (${limit}) below current usage (${used})`,
      );
    }
  }
  if (isPodLower && podAfter !== undefined && total >= podAfter) {
    problems.unshift(`attempting to set pod memory limit (${podAfter}) below current usage (${total})`);
  }
  if (problems.length === 0) return undefined;
  return `cannot decrease memory limits: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`;
}

const runningContainers = (pod: Pod, runtime: RuntimePodStatus) =>
  resizableContainers(pod).flatMap((container) => {
    const running = latestContainer(runtime, container.name);
    return running?.state === 'running' ? [{ container, running }] : [];
  });

const memoryLimit = ({ resources }: Container): bigint | undefined =>
  resources?.limits?.['memory'] === undefined ? undefined : quantityValue(resources.limits['memory']);

const isLower = (before: bigint | undefined, after: bigint | undefined): boolean =>
  after !== undefined && (before === undefined || after < before);
