import { own } from '../kube/text/own.ts';
import type { Pod, PodSpec, QosClass, ResourceList } from '../kube/pod.ts';
import { isPodLevelResource, podTotal, type ResourceAmounts, type ResourceKind } from '../kube/pod-resources.ts';
import { quantityMilli, quantityNano, quantityValue } from '../kube/quantity.ts';
import { cpuQuotaMicroseconds, cpuShares } from '../node/resources/cpu-values.ts';
import type { NodeFacts } from '../node/object/node-facts.ts';
import { qosClass } from '../pod/values/qos.ts';

/** The settings of a cgroup, independent of the kernel's cgroup version. An absent setting is left unchanged. */
export interface CgroupValues {
  /** Relative weight, as cgroup v1 counts it: 1024 a CPU. */
  readonly cpuShares?: bigint;
  /** Microseconds of CPU time in each period. */
  readonly cpuQuota?: { readonly microseconds: bigint | 'unlimited'; readonly periodMicroseconds: bigint };
  readonly memoryLimitBytes?: bigint;
  /**
   * Memory that is never reclaimed, and memory that is reclaimed only when nothing else is left. Version 2 only
   * (KEP-2570).
   */
  readonly memoryMinBytes?: bigint;
  readonly memoryLowBytes?: bigint;
  readonly pidsMax?: bigint;
  /** Bytes by page size in bytes. */
  readonly hugePageLimits?: ReadonlyMap<bigint, bigint | 'unlimited'>;
}

export type CgroupFacts = Pick<
  NodeFacts,
  'cpuCfsQuota' | 'cpuCfsQuotaPeriodMicroseconds' | 'hugePageSizes' | 'podPidsLimit' | 'memoryQos'
>;

const NANO = 1_000_000_000n;
const NANO_PER_MILLI = 1_000_000n;
const ceilDiv = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
const HUGE_PAGES = 'hugepages-';

const milli = (amounts: ResourceAmounts): bigint => ceilDiv(amounts.get('cpu') ?? 0n, NANO_PER_MILLI);

/** Adds the overhead of the pod's runtime class (KEP-688). A limit includes it only if the pod has that limit. */
function withOverhead(spec: PodSpec, kind: ResourceKind): ResourceAmounts {
  const total = new Map(podTotal(spec, kind));
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) {
    const known = total.get(name);
    if (kind === 'limits' && (known === undefined || known === 0n)) continue;
    total.set(name, (known ?? 0n) + quantityNano(amount));
  }
  return total;
}

/** `true` if the pod as a whole is limited: every container is, or the pod itself (KEP-2837). */
function isLimited({ containers, initContainers = [], resources }: PodSpec, name: string): boolean {
  if (quantityNano(own(resources?.limits, name)) > 0n && isPodLevelResource(name)) return true;
  return [...containers, ...initContainers].every((each) => quantityNano(own(each.resources?.limits, name)) > 0n);
}

/** Returns the settings of the pod's own cgroup (kubelet container manager, `ResourceConfigForPod`). */
export function podCgroupValues(pod: Pod, node: CgroupFacts): CgroupValues {
  const { spec } = pod;
  const requests = withOverhead(spec, 'requests');
  const limits = withOverhead(spec, 'limits');
  const shared: CgroupValues = {
    cpuShares: cpuShares(milli(requests)),
    hugePageLimits: hugePageLimits(requests, node),
    ...(node.podPidsLimit === undefined ? {} : { pidsMax: node.podPidsLimit }),
  };
  const qos = qosClass(pod);
  if (qos === 'BestEffort') return { ...shared, cpuShares: cpuShares(0n) };
  const isBound = (resource: string): boolean => qos === 'Guaranteed' || isLimited(spec, resource);
  return {
    ...shared,
    ...(isBound('cpu') ? quotaOf(limits, node) : {}),
    ...(isBound('memory') ? memoryOf(limits) : {}),
    ...protectionOf(qos, bytesOf(requests), node),
  };
}

/**
 * Returns the memory that the kernel protects for a pod: a guaranteed pod's in all cases, others' as long as possible.
 */
function protectionOf(
  qos: QosClass,
  memoryBytes: bigint,
  { memoryQos }: Pick<CgroupFacts, 'memoryQos'>,
): Pick<CgroupValues, 'memoryMinBytes' | 'memoryLowBytes'> {
  if (memoryQos?.reserves !== true || memoryBytes === 0n) return {};
  return qos === 'Guaranteed' ? { memoryMinBytes: memoryBytes } : { memoryLowBytes: memoryBytes };
}

const bytesOf = (amounts: ResourceAmounts): bigint => ceilDiv(amounts.get('memory') ?? 0n, NANO);

/** Returns the bytes that a pod requests, for the protection of its class. */
export const requestedMemoryBytes = ({ spec }: Pod): bigint => bytesOf(withOverhead(spec, 'requests'));

function quotaOf(limits: ResourceAmounts, node: CgroupFacts): Pick<CgroupValues, 'cpuQuota'> {
  const { cpuCfsQuota, cpuCfsQuotaPeriodMicroseconds: periodMicroseconds } = node;
  const quota = cpuCfsQuota ? cpuQuotaMicroseconds(milli(limits), periodMicroseconds) : 0n;
  return { cpuQuota: { microseconds: quota === 0n ? 'unlimited' : quota, periodMicroseconds } };
}

const memoryOf = (limits: ResourceAmounts): Pick<CgroupValues, 'memoryLimitBytes'> => {
  const bytes = bytesOf(limits);
  return bytes === 0n ? {} : { memoryLimitBytes: bytes };
};

/** A page size without a request gets a limit of zero. */
function hugePageLimits(requests: ResourceAmounts, { hugePageSizes }: CgroupFacts): ReadonlyMap<bigint, bigint> {
  const limits = new Map(hugePageSizes.map((size) => [size, 0n]));
  for (const [name, amount] of requests) {
    if (name.startsWith(HUGE_PAGES)) limits.set(quantityValue(name.slice(HUGE_PAGES.length)), ceilDiv(amount, NANO));
  }
  return limits;
}

/** Returns the weight of a class's cgroup. Guaranteed pods have no cgroup between the node's and their own. */
export function qosCgroupValues(
  qos: Exclude<QosClass, 'Guaranteed'>,
  burstableMilliCpu: bigint,
  { hugePageSizes }: Pick<CgroupFacts, 'hugePageSizes'>,
): CgroupValues {
  return {
    cpuShares: cpuShares(qos === 'Burstable' ? burstableMilliCpu : 0n),
    hugePageLimits: new Map(hugePageSizes.map((size) => [size, 'unlimited'])),
  };
}

/**
 * Returns the protection of the cgroups above pods, which must be at least that of the pods below. It drops to zero in
 * the end, so that memory kept for removed pods is released.
 */
export function protectedMemory(
  { guaranteedBytes, burstableBytes }: { readonly guaranteedBytes: bigint; readonly burstableBytes: bigint },
  { memoryQos }: Pick<CgroupFacts, 'memoryQos'>,
): { readonly ofAll: CgroupValues; readonly ofBurstable: CgroupValues } {
  if (memoryQos?.reserves !== true) return { ofAll: {}, ofBurstable: {} };
  return {
    ofAll: { memoryMinBytes: guaranteedBytes + burstableBytes },
    ofBurstable: { memoryLowBytes: burstableBytes },
  };
}

/**
 * Returns the memory limits of the lower classes, when a share of the higher classes' requests is reserved (kubelet:
 * `qosReserved`).
 */
export function classMemoryLimits(
  { guaranteedBytes, burstableBytes }: { readonly guaranteedBytes: bigint; readonly burstableBytes: bigint },
  { allocatable, percent }: { readonly allocatable: string | number | undefined; readonly percent: number },
): { readonly burstable: CgroupValues; readonly bestEffort: CgroupValues } {
  if (allocatable === undefined) return { burstable: {}, bestEffort: {} };
  const kept = (bytes: bigint): bigint => (bytes * BigInt(percent)) / 100n;
  const burstable = quantityValue(allocatable) - kept(guaranteedBytes);
  return {
    burstable: { memoryLimitBytes: burstable },
    bestEffort: { memoryLimitBytes: burstable - kept(burstableBytes) },
  };
}

/** Returns the thousandths of a CPU that a pod adds to the weight of its class. */
export const requestedMilliCpu = ({ spec }: Pod): bigint => milli(withOverhead(spec, 'requests'));

/** Returns the settings of a cgroup limited to these amounts of the node: that of all pods, or of reserved daemons. */
export function amountCgroupValues(amounts: ResourceList, { compressibleOnly = false } = {}): CgroupValues {
  const { cpu, memory, pid } = amounts;
  const shares = cpu === undefined ? {} : { cpuShares: cpuShares(quantityMilli(cpu)) };
  if (compressibleOnly) return shares;
  const pages = Object.entries(amounts).filter(([name]) => name.startsWith(HUGE_PAGES));
  return {
    ...shares,
    ...(memory === undefined ? {} : { memoryLimitBytes: quantityValue(memory) }),
    ...(pid === undefined ? {} : { pidsMax: quantityValue(pid) }),
    ...(pages.length === 0
      ? {}
      : {
          hugePageLimits: new Map(
            pages.map(([name, amount]) => [quantityValue(name.slice(HUGE_PAGES.length)), quantityValue(amount)]),
          ),
        }),
  };
}
