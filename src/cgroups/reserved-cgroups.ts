import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';
import { amountCgroupValues, type CgroupValues } from './cgroup-values.ts';
import type { Cgroups } from './cgroups.ts';

export type ReservedSettings = Pick<
  KubeletConfiguration,
  'enforceNodeAllocatable' | 'systemReservedCgroup' | 'kubeReservedCgroup' | 'systemReserved' | 'kubeReserved'
>;

/** A cgroup of the node's own daemons, created by another program, and the limits to enforce on it. */
export interface ReservedCgroup {
  readonly whose: 'System' | 'Kube';
  readonly path: string;
  readonly values: CgroupValues;
}

/**
 * Returns the cgroups that `enforceNodeAllocatable` names beside that of pods. The `-compressible` ones only limit the
 * CPU.
 */
export function reservedCgroups(settings: ReservedSettings): readonly ReservedCgroup[] {
  return settings.enforceNodeAllocatable.flatMap((word): readonly ReservedCgroup[] => {
    const compressibleOnly = word.endsWith('-compressible');
    switch (word.replace('-compressible', '')) {
      case 'system-reserved': {
        const values = amountCgroupValues(settings.systemReserved, { compressibleOnly });
        return [{ whose: 'System', path: rooted(settings.systemReservedCgroup), values }];
      }
      case 'kube-reserved': {
        const values = amountCgroupValues(settings.kubeReserved, { compressibleOnly });
        return [{ whose: 'Kube', path: rooted(settings.kubeReservedCgroup), values }];
      }
      default:
        return [];
    }
  });
}

/** Enforces the limits. Returns an error for a missing cgroup, or when the kernel refuses. Never creates the cgroup. */
export function holdReserved(cgroups: Pick<Cgroups, 'exists' | 'set'>, reserved: ReservedCgroup): string | undefined {
  const { whose, path, values } = reserved;
  const problem = cgroups.exists(path) ? cgroups.set(path, values) : 'the cgroup does not exist';
  return problem && `Failed to enforce ${whose} Reserved Cgroup Limits on "${path}": ${problem}`;
}

const rooted = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}`;
