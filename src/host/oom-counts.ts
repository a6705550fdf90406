import { readFileSync } from 'node:fs';

/**
 * Returns how many processes the kernel has killed for lack of memory since its start: on the whole machine, and in the
 * cgroups of pods (cgroup v2). `undefined` when the kernel does not count.
 */
export function readOomCounts(
  podsCgroup: string,
  { proc = '/proc', cgroups = '/sys/fs/cgroup' } = {},
): { readonly onNode: number; readonly inPods: number } | undefined {
  const onNode = counted(`${proc}/vmstat`);
  // Without a pod cgroup there is no pod, so no kill was in a pod.
  return onNode === undefined ? undefined : { onNode, inPods: counted(`${cgroups}${podsCgroup}/memory.events`) ?? 0 };
}

function counted(path: string): number | undefined {
  try {
    const count = /^oom_kill (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}
