import { LinuxContainerResources } from '../../cri/gen/api.ts';
import type { HugepageLimit } from '../../cri/gen/api.ts';
import { own } from '../../kube/text/own.ts';
import type { Container, Pod, QosClass } from '../../kube/pod.ts';
import { podTotal } from '../../kube/pod-resources.ts';
import type { ResourceAmounts } from '../../kube/pod-resources.ts';
import { quantityMilli, quantityValue } from '../../kube/quantity.ts';
import { cpuQuotaMicroseconds, cpuShares } from '../../node/resources/cpu-values.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { oomScoreAdj } from '../../node/resources/oom-score.ts';
import { pageSizeName } from '../../node/resources/page-size-name.ts';
import { maySwap } from './may-swap.ts';

const NANO_PER_MILLI = 1_000_000n;
const NANO = 1_000_000_000n;
const ceilDiv = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;

interface Amounts {
  /** Thousandths of a CPU. `undefined` when the container has no request, which differs from a request of zero. */
  readonly cpuRequest: bigint | undefined;
  readonly cpuLimit: bigint;
  readonly memoryLimit: bigint;
}

type CpuFacts = Pick<NodeFacts, 'cpuCfsQuota' | 'cpuCfsQuotaPeriodMicroseconds'>;

/** A container with a limit and no request gets the weight of its limit. */
function toResources({ cpuRequest, cpuLimit, memoryLimit }: Amounts, node: CpuFacts): LinuxContainerResources {
  const resources = LinuxContainerResources.fromPartial({
    cpuShares: cpuShares(cpuRequest ?? cpuLimit),
    memoryLimitInBytes: memoryLimit,
  });
  if (node.cpuCfsQuota) {
    resources.cpuPeriod = node.cpuCfsQuotaPeriodMicroseconds;
    resources.cpuQuota = cpuQuotaMicroseconds(cpuLimit, node.cpuCfsQuotaPeriodMicroseconds);
  }
  return resources;
}

const milli = (amounts: ResourceAmounts, name: string): bigint | undefined => {
  const nano = amounts.get(name);
  return nano === undefined ? undefined : ceilDiv(nano, NANO_PER_MILLI);
};

/**
 * Returns the needs of the whole pod, without overhead. Some runtimes must size a machine before any container exists.
 */
export function sandboxResources(pod: Pod, node: CpuFacts): LinuxContainerResources {
  const limits = podTotal(pod.spec, 'limits');
  const amounts: Amounts = {
    cpuRequest: milli(podTotal(pod.spec, 'requests'), 'cpu'),
    cpuLimit: milli(limits, 'cpu') ?? 0n,
    memoryLimit: ceilDiv(limits.get('memory') ?? 0n, NANO),
  };
  return toResources(amounts, node);
}

/** Returns the overhead of the sandbox itself (KEP-688); all zero when the pod has no overhead. */
export function sandboxOverhead(pod: Pod, node: CpuFacts): LinuxContainerResources {
  const { overhead } = pod.spec;
  if (overhead === undefined || Object.keys(overhead).length === 0) return LinuxContainerResources.fromPartial({});
  const cpu = overhead['cpu'] === undefined ? undefined : quantityMilli(overhead['cpu']);
  return toResources({ cpuRequest: cpu, cpuLimit: cpu ?? 0n, memoryLimit: quantityValue(overhead['memory']) }, node);
}

export interface ContainerResourcesInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly qos: QosClass;
  readonly node: NodeFacts;
  /** CPUs and memory nodes reserved for this container alone, as the resource managers decided. */
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

export function containerResources(input: ContainerResourcesInput): LinuxContainerResources {
  const { pod, container, qos, node, cpusetCpus = '', cpusetMems = '' } = input;
  const { requests, limits } = container.resources ?? {};
  const ofPod = pod.spec.resources?.limits;
  const cpuLimit = quantityMilli(limits?.['cpu']) || quantityMilli(ofPod?.['cpu']);
  const memoryLimit = quantityValue(limits?.['memory']) || quantityValue(ofPod?.['memory']);
  const cpuRequest = requests?.['cpu'] === undefined ? undefined : quantityMilli(requests['cpu']);

  const resources = toResources({ cpuRequest, cpuLimit, memoryLimit }, node);
  resources.oomScoreAdj = oomScoreAdj({ pod, container, qos, memoryCapacityBytes: node.memoryCapacityBytes });
  resources.cpusetCpus = cpusetCpus;
  resources.cpusetMems = cpusetMems;
  resources.hugepageLimits = hugepageLimits(input);
  if (node.cgroupVersion === 2) {
    resources.unified = unifiedValues(input, memoryLimit);
  } else if (node.swap.controller === 'available') {
    // The value covers memory and swap together: a container without its own swap limit may not swap.
    resources.memorySwapLimitInBytes = memoryLimit;
  }
  return resources;
}

function unifiedValues(
  { pod, container, qos, node }: ContainerResourcesInput,
  memoryLimit: bigint,
): Record<string, string> {
  const unified: Record<string, string> = {
    ...(!node.singleProcessOOMKill && { 'memory.oom.group': '1' }),
    ...memoryQosValues({ container, qos, node }, memoryLimit),
  };
  if (node.swap.controller === 'absent') return unified;

  const request = quantityValue(container.resources?.requests?.['memory']);
  const swaps =
    node.swap.behavior === 'LimitedSwap' &&
    node.memoryCapacityBytes > 0n &&
    maySwap({ pod, container, qos, memoryLimit });
  // The container's share of the node's swap equals its share of the node's memory (KEP-2400).
  const swap = swaps ? (request * node.swap.capacityBytes) / node.memoryCapacityBytes : 0n;
  unified['memory.swap.max'] = String(swap);
  return unified;
}

/**
 * Returns the memory that the kernel keeps for a container, and the usage at which the kernel throttles it (KEP-2570).
 */
function memoryQosValues(
  { container, qos, node }: Pick<ContainerResourcesInput, 'container' | 'qos' | 'node'>,
  memoryLimit: bigint,
): Record<string, string> {
  const { memoryQos } = node;
  if (memoryQos === undefined) return {};
  const request = quantityValue(container.resources?.requests?.['memory']);
  const kept = memoryQos.reserves ? request : 0n;
  const values = {
    'memory.min': String(qos === 'Guaranteed' ? kept : 0n),
    'memory.low': String(qos === 'Guaranteed' ? 0n : kept),
  };
  const top = memoryLimit === 0n ? quantityValue(node.allocatable['memory']) : memoryLimit;
  if (memoryQos.throttlingFactor === undefined || top === request || top === 0n) return values;
  const high = Number(request) + Number(top - request) * memoryQos.throttlingFactor;
  const bytes = BigInt(Math.floor(high / PAGE_BYTES)) * BigInt(PAGE_BYTES);
  return bytes > request ? { ...values, 'memory.high': String(bytes) } : values;
}

const PAGE_BYTES = 4096;

/** Returns one entry for every page size of the kernel, because a runtime takes a missing entry for "no limit". */
function hugepageLimits({ pod, container, node }: ContainerResourcesInput): HugepageLimit[] {
  const wanted = new Map<bigint, bigint>();
  for (const limits of [pod.spec.resources?.limits, container.resources?.limits]) {
    for (const name in limits) {
      if (name.startsWith('hugepages-')) wanted.set(quantityValue(name.slice(10)), quantityValue(own(limits, name)));
    }
  }
  return node.hugePageSizes.map((size) => ({ pageSize: pageSizeName(size), limit: wanted.get(size) ?? 0n }));
}
