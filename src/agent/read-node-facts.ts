import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { gatesOf } from '../config/feature-gates.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';
import type { ResourceList } from '../kube/pod.ts';
import { hostReader } from '../host/host-reader.ts';
import { readMachineFacts } from '../host/machine-facts.ts';
import { nodeAllocatable, nodeCapacity, nodeReservation } from '../node/object/node-capacity.ts';
import type { MemoryQosFacts, NodeFacts } from '../node/object/node-facts.ts';
import { readCgroupVersion } from '../host/start-facts.ts';
import { memInfoBytes } from '../host/mem-info.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  readonly rootDir: string;
  readonly nodeOptions?: { readonly ips: readonly string[] };
}

/** Returns the facts of this machine, read once at the start. */
export function readNodeFacts(
  { nodeName, rootDir, nodeOptions }: NodeIdentity,
  config: KubeletConfiguration,
): NodeFacts {
  const memoryCapacityBytes = BigInt(totalmem());
  const cgroupVersion = readCgroupVersion(hostReader);
  return {
    nodeName,
    nodeIps: nodeOptions?.ips ?? [],
    rootDir,
    podLogsDir: config.podLogsDir,
    clusterDNS: config.clusterDNS,
    clusterDomain: config.clusterDomain,
    ...(config.resolvConf === ''
      ? { resolvConf: undefined }
      : { resolvConf: read(config.resolvConf) ?? '', resolvConfPath: config.resolvConf }),
    cgroupDriver: config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
    cgroupRoot: config.cgroupRoot === '' ? '/' : config.cgroupRoot,
    cgroupsPerQos: config.cgroupsPerQOS,
    cgroupVersion,
    cpuCfsQuota: config.cpuCFSQuota,
    cpuCfsQuotaPeriodMicroseconds: BigInt(Math.round(config.cpuCFSQuotaPeriod * 1000)),
    ...(config.podPidsLimit > 0 ? { podPidsLimit: BigInt(config.podPidsLimit) } : {}),
    singleProcessOOMKill: config.singleProcessOOMKill ?? false,
    memoryCapacityBytes,
    allocatable: allocatableOf(rootDir, config),
    swap: {
      controller: countsSwap() ? 'available' : 'absent',
      behavior: config.memorySwap.swapBehavior === 'LimitedSwap' ? 'LimitedSwap' : 'NoSwap',
      capacityBytes: swapCapacity(),
    },
    ...(cgroupVersion === 2 && gatesOf(config)('MemoryQoS') && { memoryQos: memoryQosOf(config) }),
    hugePageSizes: hugePageSizes(),
    seccompDefault: config.seccompDefault,
    seLinux: existsSync('/sys/fs/selinux/enforce'),
    containerStopSignals: gatesOf(config)('ContainerStopSignals'),
    thermalThrottlePaths: thermalThrottlePaths(),
  };
}

/** Returns what the node publishes as allocatable. Containers without a limit see these values. */
function allocatableOf(rootDir: string, config: KubeletConfiguration): ResourceList {
  const capacity = nodeCapacity(readMachineFacts(hostReader, rootDir).size, config);
  return nodeAllocatable(capacity, nodeReservation(capacity, config));
}

const memoryQosOf = ({ memoryThrottlingFactor, memoryReservationPolicy }: KubeletConfiguration): MemoryQosFacts => ({
  throttlingFactor: memoryThrottlingFactor,
  reserves: memoryReservationPolicy === 'TieredReservation',
});

const swapCapacity = (): bigint => memInfoBytes(read('/proc/meminfo'), 'SwapTotal') ?? 0n;

/** `true` if the kernel counts swap per cgroup. The agent's own cgroup shows that; the root cgroup has no such file. */
function countsSwap(): boolean {
  if (existsSync('/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes')) return true;
  const own = /^0::(.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  return own !== undefined && existsSync(`/sys/fs/cgroup${own}/memory.swap.max`);
}

function hugePageSizes(): readonly bigint[] {
  return names('/sys/kernel/mm/hugepages').flatMap((name) => {
    const kibibytes = /^hugepages-(\d+)kB$/.exec(name)?.[1];
    return kibibytes === undefined ? [] : [BigInt(kibibytes) * 1024n];
  });
}

function thermalThrottlePaths(): readonly string[] {
  const cpus = '/sys/devices/system/cpu';
  return names(cpus)
    .filter((name) => /^cpu\d+$/.test(name))
    .map((name) => `${cpus}/${name}/thermal_throttle`)
    .filter((path) => existsSync(path));
}

function names(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
