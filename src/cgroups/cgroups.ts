import type { CgroupValues } from './cgroup-values.ts';

/**
 * The cgroups of this host. Paths are as the runtime is told them: `/kubepods/burstable/pod<uid>`, or slices.
 *
 * Synchronous on purpose, as all that a pod worker does on the host: each call is a few lines to a file system in memory.
 */
export interface Cgroups {
  /** Whether the cgroup is there in every hierarchy that this agent sets something in. */
  exists(path: string): boolean;
  /** Makes the cgroup with those above it, if it is not there, and sets it. Says what the kernel refused. */
  set(path: string, values: CgroupValues): string | undefined;
  /** Names of the cgroups right below. */
  childrenOf(path: string): readonly string[];
  /**
   * Removes a cgroup with those below it, in every hierarchy that has it; what still runs in it is killed first. Says why it
   * could not be removed; it may be tried again then.
   */
  remove(path: string): string | undefined;
  /** As `remove`, of one in which nothing runs: what does is left alone, and so is the cgroup. */
  removeEmpty(path: string): string | undefined;
}

/** Where pods have no cgroups of this agent's making: containers that are simulated, or a host that does not let it. */
export const noCgroups: Cgroups = {
  exists: () => true,
  set: () => undefined,
  childrenOf: () => [],
  remove: () => undefined,
  removeEmpty: () => undefined,
};
