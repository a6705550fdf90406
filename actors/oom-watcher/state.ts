/** A process that the kernel has killed for want of memory. */
export interface OomKill {
  readonly process: string;
  readonly pid: number;
  /** Its cgroup. */
  readonly victim: string;
  /** `node`: the machine had no memory left. `cgroup`: the process's cgroup, or one above it, was at its limit. */
  readonly constraint: 'node' | 'cgroup';
}

/**
 * What a record of the kernel's log says of a kill; undefined: nothing. The kernel (since 5.0) writes one line for each,
 * `oom-kill:constraint=…,…,task_memcg=/…,task=…,pid=…,uid=…`.
 */
export function oomKillOf(record: string): OomKill | undefined {
  // `<priority>,<sequence>,<instant>,<flags>;<text>`, and lines with its fields below.
  const [text = ''] = record.slice(record.indexOf(';') + 1).split('\n', 1);
  const found = /^oom-kill:constraint=(\w+),.*,task_memcg=(\/.*),task=(.*),pid=(\d+),uid=\d+$/.exec(text);
  if (found === null) return undefined;
  const [, constraint, victim = '', process = '', pid] = found;
  return { process, pid: Number(pid), victim, constraint: constraint === 'CONSTRAINT_MEMCG' ? 'cgroup' : 'node' };
}

/**
 * Whether the node is told of it: the machine has lost a process that is no pod's. What a pod loses is seen in its containers
 * (kubelet: system OOM of a victim in the root cgroup; here of one in any cgroup but those of pods, where the node itself was
 * out of memory).
 */
export const isSystemOom = ({ victim, constraint }: OomKill, podsCgroup: string): boolean =>
  victim === '/' || (constraint === 'node' && victim !== podsCgroup && !victim.startsWith(`${podsCgroup}/`));

export const systemOomMessage = ({ process, pid }: OomKill): string =>
  `System OOM encountered, victim process: ${process}, pid: ${pid}`;

/** Counts of kills since the machine started, where its log cannot be read. */
export interface OomCounts {
  readonly onNode: number;
  /** Those of them in the cgroups of pods. */
  readonly inPods: number;
}

/** How many processes that are no pod's have been killed between two looks. */
export function killsBetween(before: OomCounts, after: OomCounts): number {
  return Math.max(0, after.onNode - before.onNode - Math.max(0, after.inPods - before.inPods));
}
