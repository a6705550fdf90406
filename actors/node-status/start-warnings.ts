import { searchLineProblem } from '../../src/pod/cri-config/dns.ts';
import { knowsNoSwap } from '../../src/volumes/disk/tmpfs-noswap.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';

export interface StartWarning {
  readonly type: 'Warning';
  readonly reason: 'CgroupV1' | 'PossibleMemoryBackedVolumesOnDisk' | 'CheckLimitsForResolvConf';
  readonly message: string;
}

type Facts = Pick<NodeFacts, 'cgroupVersion' | 'resolvConf'> & {
  readonly swap: Pick<NodeFacts['swap'], 'capacityBytes'>;
};

/** Events about the machine that a starting node records. */
export function startWarnings(
  { cgroupVersion, resolvConf, swap }: Facts,
  { kernel, resolvConfPath }: { readonly kernel: string; readonly resolvConfPath: string },
): readonly StartWarning[] {
  const warnings: StartWarning[] = [];
  const warn = (reason: StartWarning['reason'], message: string): void =>
    void warnings.push({ type: 'Warning', reason, message });
  if (cgroupVersion === 1) {
    warn('CgroupV1', 'this host has cgroup v1, which Kubernetes only maintains: move it to cgroup v2');
  }
  if (swap.capacityBytes > 0n && !knowsNoSwap(kernel)) {
    const swapped = 'secrets and emptyDirs in memory may be swapped to disk: its tmpfs has no option noswap';
    warn('PossibleMemoryBackedVolumesOnDisk', `this host has swap, and on Linux ${kernel} ${swapped}`);
  }
  const problem = searchLineProblem(resolvConf ?? '');
  if (problem !== undefined) warn('CheckLimitsForResolvConf', `the search line of ${resolvConfPath} ${problem}`);
  return warnings;
}
