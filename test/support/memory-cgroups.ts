import type { CgroupValues } from '../../src/cgroups/cgroup-values.ts';
import type { Cgroups } from '../../src/cgroups/cgroups.ts';

/** Cgroups in memory, for one test. */
export class MemoryCgroups implements Cgroups {
  readonly values = new Map<string, CgroupValues>();
  /** Everything that was done, in order: `set /kubepods`. */
  readonly done: string[] = [];
  /** The kernel's error in place of the change, by path. */
  readonly refusals = new Map<string, string>();
  /** Cgroups with a process that cannot be killed. */
  readonly busy = new Set<string>();
  readonly #runsIn: (path: string) => boolean;

  /** `runsIn`: `true` if a process is in the cgroup of this path; the simulation of the processes decides. */
  constructor(runsIn: (path: string) => boolean = () => false) {
    this.#runsIn = runsIn;
  }

  exists(path: string): boolean {
    return this.values.has(path);
  }

  set(path: string, values: CgroupValues): string | undefined {
    const refusal = this.refusals.get(path);
    if (refusal !== undefined) return refusal;
    this.done.push(`set ${path}`);
    this.values.set(path, { ...this.values.get(path), ...values });
    return undefined;
  }

  valuesOf(path: string): CgroupValues | undefined {
    return this.values.get(path);
  }

  childrenOf(path: string): readonly string[] {
    const names = [...this.values.keys()].filter((each) => each.startsWith(`${path}/`));
    return [...new Set(names.map((each) => each.slice(path.length + 1).split('/')[0] ?? ''))];
  }

  remove(path: string): string | undefined {
    const refusal =
      this.refusals.get(path) ??
      (this.busy.has(path) || this.#runsIn(path) ? `cgroup ${path} is still in use` : undefined);
    if (refusal !== undefined) return refusal;
    this.done.push(`remove ${path}`);
    for (const each of this.values.keys()) if (each === path || each.startsWith(`${path}/`)) this.values.delete(each);
    return undefined;
  }

  removeEmpty(path: string): string | undefined {
    return this.remove(path);
  }
}
