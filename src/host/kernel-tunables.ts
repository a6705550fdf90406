import { messageOf } from '../kube/text/message-of.ts';
/** Values under `/proc/sys` that a node of Kubernetes is run with (kubelet, `protectKernelDefaults`). */
const TUNABLES: readonly (readonly [path: string, value: string])[] = [
  // Memory is not promised to processes, but measured: limits and eviction deal with those that take too much.
  ['vm/overcommit_memory', '1'],
  ['vm/panic_on_oom', '0'],
  // A node that has gone wrong is to come back rather than hang.
  ['kernel/panic', '10'],
  ['kernel/panic_on_oops', '1'],
  // Each container takes keys of root's.
  ['kernel/keys/root_maxkeys', '1000000'],
  ['kernel/keys/root_maxbytes', '25000000'],
];

export interface SysctlFiles {
  /** Undefined: there is no such file. */
  read(path: string): string | undefined;
  /** Throws what the kernel says. */
  write(path: string, text: string): void;
}

export interface TunedKernel {
  /** Why the agent must not run here. */
  readonly problems: readonly string[];
  /** What the kernel did not let it do. */
  readonly warnings: readonly string[];
  /** What was changed, as `vm/overcommit_memory`. */
  readonly changed: readonly string[];
}

/**
 * Sets what differs; with `protect` it changes nothing, and every difference is a problem. A kernel without one of them, and
 * one that does not let itself be changed, is run on as it is.
 */
export function tuneKernel(files: SysctlFiles, { protect }: { readonly protect: boolean }): TunedKernel {
  const [problems, warnings, changed]: [string[], string[], string[]] = [[], [], []];
  for (const [name, value] of TUNABLES) {
    const path = `/proc/sys/${name}`;
    const actual = files.read(path)?.trim();
    if (actual === undefined || actual === value) continue;
    if (protect) {
      problems.push(`invalid kernel flag: ${name}, expected value: ${value}, actual value: ${actual}`);
      continue;
    }
    try {
      files.write(path, value);
      changed.push(name);
    } catch (error) {
      const why = messageOf(error);
      warnings.push(`${name} stays ${actual}, and should be ${value}: ${why}`);
    }
  }
  return { problems, warnings, changed };
}
