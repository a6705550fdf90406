import type { CgroupValues } from './cgroup-values.ts';

/**
 * The cgroups of this host. Paths have the runtime's form: `/kubepods/burstable/pod<uid>`, or slices.
 *
 * Synchronous on purpose, like all host work of a pod worker: each call writes a few lines to a file system in memory.
 */
export interface Cgroups {
  /** `true` if the cgroup exists in every hierarchy that this agent configures. */
  exists(path: string): boolean;
  /** Creates a missing cgroup with its parents, and applies the values. Returns the kernel's error, if any. */
  set(path: string, values: CgroupValues): string | undefined;
  /**
   * Returns the CPU and memory settings of a cgroup as the kernel holds them; `undefined` when they cannot be read. An
   * absent memory limit is none.
   */
  valuesOf(path: string): CgroupValues | undefined;
  /** Returns the names of the direct child cgroups. */
  childrenOf(path: string): readonly string[];
  /**
   * Kills all processes in a cgroup and below, then removes it from every hierarchy. Returns why it could not be
   * removed; the caller may retry.
   */
  remove(path: string): string | undefined;
  /** Like `remove`, for an empty cgroup: if processes run in it, processes and cgroup are left alone. */
  removeEmpty(path: string): string | undefined;
}

/** For nodes where this agent manages no cgroups: simulated containers, or a host that forbids it. */
export const noCgroups: Cgroups = {
  exists: () => true,
  set: () => undefined,
  valuesOf: () => undefined,
  childrenOf: () => [],
  remove: () => undefined,
  removeEmpty: () => undefined,
};
