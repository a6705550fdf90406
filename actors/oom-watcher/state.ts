/** A process that the kernel killed for lack of memory. */
export interface OomKill {
  readonly process: string;
  readonly pid: number;
  /** The process's cgroup. */
  readonly victim: string;
  /** `node`: the machine ran out of memory. `cgroup`: the process's cgroup, or a parent of it, was at its limit. */
  readonly constraint: 'node' | 'cgroup';
}

/**
 * Parses the record of an OOM kill in the kernel log; `undefined` for any other record. The kernel (since 5.0) writes
 * one line per kill, `oom-kill:constraint=…,…,task_memcg=/…,task=…,pid=…,uid=…`.
 */
export function oomKillOf(record: string): OomKill | undefined {
  // `<priority>,<sequence>,<instant>,<flags>;<text>`, followed by lines with its fields.
  const [text = ''] = record.slice(record.indexOf(';') + 1).split('\n', 1);
  const constraint = /^oom-kill:constraint=(\w+),/.exec(text);
  if (constraint === null) return undefined;
  // A process name may contain anything, even text that looks like the fields after it. The fields are therefore read
  // from the end.
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

/** The last field with this name, and the text before it. `undefined` when there is none. */
function lastField(text: string, opening: string): Field | undefined {
  const at = text.lastIndexOf(opening);
  return at < 0 ? undefined : { before: text.slice(0, at), value: text.slice(at + opening.length) };
}

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/**
 * `true` if the kill becomes an event about the node: the machine has lost a process outside the pods. A pod's loss
 * shows in its containers. (The kubelet reports victims in the root cgroup; this agent reports victims in any cgroup
 * but those of pods, where the node itself was out of memory.)
 */
export const isSystemOom = ({ victim, constraint }: OomKill, podsCgroup: string): boolean =>
  victim === '/' || (constraint === 'node' && victim !== podsCgroup && !victim.startsWith(`${podsCgroup}/`));

export const systemOomMessage = ({ process, pid }: OomKill): string =>
  `System OOM encountered, victim process: ${process}, pid: ${pid}`;

/** Kills since the start of the machine, used where the kernel log cannot be read. */
export interface OomCounts {
  readonly onNode: number;
  /** The kills within the cgroups of pods. */
  readonly inPods: number;
}

/** How many processes outside the pods were killed between two reads. */
export function killsBetween(before: OomCounts, after: OomCounts): number {
  return Math.max(0, after.onNode - before.onNode - Math.max(0, after.inPods - before.inPods));
}
