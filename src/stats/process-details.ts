import { cgroupFile, type CgroupSource } from './cgroup-figures.ts';

/**
 * The resources that a container's processes hold open. Values that are too expensive to read are `undefined`,
 * never too small.
 */
export interface ProcessDetails {
  readonly fileDescriptors: number | undefined;
  readonly sockets: number | undefined;
  /** The limit of the first process; -1 when unlimited. */
  readonly mayOpen: number | undefined;
}

export interface OpenDescriptors {
  readonly all: number;
  readonly sockets: number;
}

/** Returns the open files of a process. `undefined` when the process is gone. */
export type DescriptorsOf = (pid: string, atMost: number) => OpenDescriptors | 'more' | undefined;

/** Each process is a folder to list, and each descriptor a link to read: about 25 µs and 4 µs. */
const MOST_PROCESSES = 50;
const MOST_DESCRIPTORS = 500;

/**
 * Takes three milliseconds at most, and a tenth of a millisecond for a usual container. Beyond the bounds, nothing
 * is counted.
 */
export function readProcessDetails(
  source: CgroupSource,
  path: string,
  descriptorsOf: DescriptorsOf,
): ProcessDetails | undefined {
  const procs = source.read(cgroupFile(source, path, ['memory', 'cgroup.procs']));
  const pids = procs?.match(/^\d+/gm) ?? [];
  const [first] = pids;
  if (first === undefined) return undefined;
  return { ...heldBy(pids, descriptorsOf), mayOpen: openFilesLimit(source.read(`/proc/${first}/limits`)) };
}

const NOT_COUNTED = { fileDescriptors: undefined, sockets: undefined };

function heldBy(
  pids: readonly string[],
  descriptorsOf: DescriptorsOf,
): Pick<ProcessDetails, 'fileDescriptors' | 'sockets'> {
  if (pids.length > MOST_PROCESSES) return NOT_COUNTED;
  let fileDescriptors = 0;
  let sockets = 0;
  for (const pid of pids) {
    const held = descriptorsOf(pid, MOST_DESCRIPTORS - fileDescriptors);
    if (held === 'more') return NOT_COUNTED;
    fileDescriptors += held?.all ?? 0;
    sockets += held?.sockets ?? 0;
  }
  return { fileDescriptors, sockets };
}

function openFilesLimit(limits: string | undefined): number | undefined {
  const soft = /^Max open files +(\S+)/m.exec(limits ?? '')?.[1];
  if (soft === 'unlimited') return -1;
  return soft === undefined ? undefined : Number(soft);
}
