import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, networkInterfaces, totalmem } from 'node:os';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import type { NodeFacts } from './node-facts.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  readonly rootDir: string;
}

/** What this machine is like, read once at the start. */
export function readNodeFacts({ nodeName, rootDir }: NodeIdentity, config: KubeletConfiguration): NodeFacts {
  const memoryCapacityBytes = BigInt(totalmem());
  return {
    nodeName,
    hostIPs: hostAddresses(),
    rootDir,
    podLogsDir: config.podLogsDir,
    clusterDNS: config.clusterDNS,
    clusterDomain: config.clusterDomain,
    resolvConf: config.resolvConf === '' ? undefined : read(config.resolvConf),
    cgroupDriver: config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
    cgroupRoot: config.cgroupRoot === '' ? '/' : config.cgroupRoot,
    cgroupsPerQos: config.cgroupsPerQOS,
    cgroupVersion: existsSync('/sys/fs/cgroup/cgroup.controllers') ? 2 : 1,
    cpuCfsQuota: config.cpuCFSQuota,
    cpuCfsQuotaPeriodMicroseconds: BigInt(Math.round(config.cpuCFSQuotaPeriod * 1000)),
    singleProcessOOMKill: config.singleProcessOOMKill ?? false,
    memoryCapacityBytes,
    allocatable: {
      cpu: String(availableParallelism()),
      memory: String(memoryCapacityBytes),
      pods: String(config.maxPods),
    },
    swap: { controller: 'absent', behavior: 'NoSwap', capacityBytes: swapCapacity() },
    hugePageSizes: hugePageSizes(),
    seccompDefault: config.seccompDefault,
    thermalThrottlePaths: thermalThrottlePaths(),
    runtimeHandlers: {},
  };
}

/** Addresses of this host that are not its own loopback, IPv4 first. */
function hostAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const family = (wanted: 'IPv4' | 'IPv6') => usable.find((address) => address.family === wanted)?.address;
  const found = [family('IPv4'), family('IPv6')].filter((address) => address !== undefined);
  return found.length > 0 ? found : ['127.0.0.1'];
}

function swapCapacity(): bigint {
  const kibibytes = /^SwapTotal:\s+(\d+) kB$/m.exec(read('/proc/meminfo') ?? '')?.[1];
  return BigInt(kibibytes ?? 0) * 1024n;
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
