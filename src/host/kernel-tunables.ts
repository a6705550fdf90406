import { messageOf } from '../kube/text/message-of.ts';
/** Values under `/proc/sys` that a node of Kubernetes is run with (kubelet, `protectKernelDefaults`). */
const TUNABLES: readonly (readonly [path: string, value: string])[] = [
  // Allocations always succeed. Limits and eviction deal with processes that use too much memory.
  ['vm/overcommit_memory', '1'],
  ['vm/panic_on_oom', '0'],
  // A broken node must reboot rather than hang.
  ['kernel/panic', '10'],
  ['kernel/panic_on_oops', '1'],
  // Each container uses keys of root.
  ['kernel/keys/root_maxkeys', '1000000'],
  ['kernel/keys/root_maxbytes', '25000000'],
];

export interface SysctlFiles {
  /** `undefined` when there is no such file. */
  read(path: string): string | undefined;
  /** Throws the kernel's error. */
  write(path: string, text: string): void;
}

export interface TunedKernel {
  /** The reasons why the agent must not run on this host. */
  readonly problems: readonly string[];
  /** Parameters that the kernel did not let the agent set. */
  readonly warnings: readonly string[];
  /** Parameters that were changed, as `vm/overcommit_memory`. */
  readonly changed: readonly string[];
}

/**
 * Sets the values that differ. With `protect` it changes nothing, and every difference is a problem. A parameter that
 * is missing or cannot be changed does not stop the agent.
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
