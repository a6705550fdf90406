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
  const constraint = /^oom-kill:constraint=(\w+),/.exec(text);
  if (constraint === null) return undefined;
  // The name of a process may hold anything, also what looks like the fields behind it: those are read from the end.
  const uid = lastField(text, ',uid=');
  const pid = uid && lastField(uid.before, ',pid=');
  const task = pid && lastField(pid.before, ',task=');
  const group = task && lastField(task.before, ',task_memcg=/');
  if (uid === undefined || pid === undefined || task === undefined || group === undefined) return undefined;
  if (!isNumber(uid.value) || !isNumber(pid.value)) return undefined;
  if (group.before.length < constraint[0].length) return undefined;
  return {
    process: task.value,
    pid: Number(pid.value),
    victim: `/${group.value}`,
    constraint: constraint[1] === 'CONSTRAINT_MEMCG' ? 'cgroup' : 'node',
  };
}

interface Field {
  readonly before: string;
  readonly value: string;
}

/** The last field of that name, and what stands before it. `undefined` when there is none. */
function lastField(text: string, opening: string): Field | undefined {
  const at = text.lastIndexOf(opening);
  return at < 0 ? undefined : { before: text.slice(0, at), value: text.slice(at + opening.length) };
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

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
