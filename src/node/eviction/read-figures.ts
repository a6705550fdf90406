import type { CriClient } from '../../cri/client.ts';
import type { ContainerStats, PodSandboxStats, UInt64Value } from '../../cri/gen/api.ts';
import { fileSystemsOf, type FileSystems } from './file-systems.ts';
import type { FsFigures, MemoryFigures, NodeFigures, PodFigures, RlimitFigures } from './figures.ts';

/** What of the host figures are read from. */
export interface FiguresHost {
  /** A file of the kernel's; undefined when there is none. */
  read(path: string): string | undefined;
  /** What the file system has that a path is on; undefined when that cannot be found out. */
  fileSystem(path: string): Promise<FileSystemFacts | undefined>;
}

export interface FileSystemFacts {
  readonly device: number;
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
}

export interface FiguresSource {
  readonly host: FiguresHost;
  /** Where images and writable layers lie. Asked again as long as it is not known. */
  readonly imageMounts: () => Promise<ImageMounts>;
  readonly rootDir: string;
  /** Where cgroups are mounted, and the one of all pods; undefined: they have none. */
  readonly cgroupMount: string;
  readonly podsCgroup: string | undefined;
  /** Whether images and writable layers may lie apart. */
  readonly splitAllowed: boolean;
  /** Wall clock. */
  readonly now: () => number;
}

export interface ImageMounts {
  readonly images?: string;
  readonly containers?: string;
}

/**
 * Where the runtime keeps images and writable layers. It is asked until it has said so, and then never again: a runtime that hangs must
 * not keep anybody from seeing that memory runs out.
 */
export function imageMountsOf(cri: CriClient): () => Promise<ImageMounts> {
  let known: ImageMounts | undefined;
  return async () => {
    if (known !== undefined) return known;
    const outcome = await cri.call('ImageFsInfo', {}, { timeoutMs: MOUNTS_WITHIN_MS });
    if (!outcome.ok) return {};
    const images = outcome.value.imageFilesystems[0]?.fsId?.mountpoint;
    const containers = outcome.value.containerFilesystems[0]?.fsId?.mountpoint;
    known = { ...(images && { images }), ...(containers && { containers }) };
    return known;
  };
}

const MOUNTS_WITHIN_MS = 3_000;

/** The node's own figures, measured now. */
export async function readNodeFigures(source: FiguresSource): Promise<NodeFigures> {
  const { host, rootDir, now } = source;
  const time = new Date(now()).toISOString();
  const [root, mounts] = await Promise.all([host.fileSystem(rootDir), source.imageMounts()]);
  const [images, containers] = await Promise.all([onDisk(host, mounts.images), onDisk(host, mounts.containers)]);
  return {
    memory: readNodeMemory(source),
    systemContainers: [{ name: 'pods', memory: podsMemory(source, time) }],
    fs: root && { time, ...figuresOf(root) },
    runtime: {
      imageFs: images && { time, ...figuresOf(images) },
      containerFs: (containers ?? images) && { time, ...figuresOf(containers ?? images) },
    },
    rlimit: processNumbers(host, time),
  };
}

/** How files are spread; `single` where the runtime does not say. */
export async function readFileSystems({
  host,
  imageMounts,
  rootDir,
  splitAllowed,
}: FiguresSource): Promise<FileSystems> {
  const [root, mounts] = await Promise.all([host.fileSystem(rootDir), imageMounts()]);
  const [images, containers] = await Promise.all([onDisk(host, mounts.images), onDisk(host, mounts.containers)]);
  return fileSystemsOf(
    { root: root?.device, images: images?.device, containers: (containers ?? images)?.device },
    splitAllowed,
  );
}

/** The node's memory: what the kernel could not take back without harm counts as used. */
export function readNodeMemory({ host, cgroupMount, now }: FiguresSource): MemoryFigures | undefined {
  const meminfo = host.read('/proc/meminfo');
  const [total, free] = [kibibytes(meminfo, 'MemTotal'), kibibytes(meminfo, 'MemFree')];
  if (total === undefined || free === undefined) return undefined;
  // Version 1 counts by itself what version 2 leaves to the machine's own figures.
  const usage = numberIn(host.read(`${cgroupMount}/memory/memory.usage_in_bytes`)) ?? total - free;
  const workingSetBytes = Math.max(0, usage - (inactiveFileBytes(host, cgroupMount, '') ?? 0));
  const time = new Date(now()).toISOString();
  return { time, workingSetBytes, availableBytes: Math.max(0, total - workingSetBytes) };
}

/** Figures of the pods that are named, as the runtime has them. Undefined: it does not say. */
export async function readPodFigures(
  cri: CriClient,
  uids: readonly string[],
): Promise<readonly PodFigures[] | undefined> {
  const outcome = await cri.call('ListPodSandboxStats', { filter: undefined });
  if (!outcome.ok) return undefined;
  const asked = new Set(uids);
  return outcome.value.stats.map(podFigures).filter(({ podRef }) => asked.has(podRef.uid));
}

function podFigures({ attributes, linux }: PodSandboxStats): PodFigures {
  return {
    podRef: { uid: attributes?.metadata?.uid ?? '' },
    memory: { workingSetBytes: value(linux?.memory?.workingSetBytes) },
    containers: (linux?.containers ?? []).map((each: ContainerStats) => ({
      name: each.attributes?.metadata?.name ?? '',
      memory: { workingSetBytes: value(each.memory?.workingSetBytes) },
      rootfs: each.writableLayer && {
        usedBytes: value(each.writableLayer.usedBytes),
        inodesUsed: value(each.writableLayer.inodesUsed),
      },
    })),
    process_stats: { process_count: value(linux?.process?.processCount) },
  };
}

const value = (given: UInt64Value | undefined): number | undefined => given && Number(given.value);

const onDisk = async (host: FiguresHost, path: string | undefined): Promise<FileSystemFacts | undefined> =>
  path === undefined ? undefined : host.fileSystem(path);

const figuresOf = (facts: FileSystemFacts | undefined): FsFigures =>
  facts === undefined
    ? {}
    : {
        availableBytes: facts.availableBytes,
        capacityBytes: facts.capacityBytes,
        inodesFree: facts.inodesFree,
        inodes: facts.inodes,
      };

/** Of all pods together. Available is only known where they have a limit. */
function podsMemory({ host, cgroupMount, podsCgroup }: FiguresSource, time: string): MemoryFigures | undefined {
  if (podsCgroup === undefined) return undefined;
  const one = (file: string): number | undefined => numberIn(host.read(`${cgroupMount}/memory${podsCgroup}/${file}`));
  const two = (file: string): number | undefined => numberIn(host.read(`${cgroupMount}${podsCgroup}/${file}`));
  const usage = one('memory.usage_in_bytes') ?? two('memory.current');
  const limit = one('memory.limit_in_bytes') ?? two('memory.max');
  if (usage === undefined) return undefined;
  const workingSetBytes = Math.max(0, usage - (inactiveFileBytes(host, cgroupMount, podsCgroup) ?? 0));
  if (limit === undefined || limit > NO_LIMIT) return { time, workingSetBytes };
  return { time, workingSetBytes, availableBytes: Math.max(0, limit - workingSetBytes) };
}

/** Version 1 has no word for none: it says the largest number of whole pages. */
const NO_LIMIT = 2 ** 62;

function inactiveFileBytes(host: FiguresHost, mount: string, cgroup: string): number | undefined {
  const one = host.read(`${mount}/memory${cgroup}/memory.stat`);
  if (one !== undefined) return numberIn(/^total_inactive_file (\d+)$/m.exec(one)?.[1]);
  return numberIn(/^inactive_file (\d+)$/m.exec(host.read(`${mount}${cgroup}/memory.stat`) ?? '')?.[1]);
}

function processNumbers(host: FiguresHost, time: string): RlimitFigures | undefined {
  const limits = ['pid_max', 'threads-max'].map((name) => numberIn(host.read(`/proc/sys/kernel/${name}`)));
  const maxpid = Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY));
  // The number behind the slash is of all that the kernel schedules.
  const curproc = numberIn(/\/(\d+) /.exec(host.read('/proc/loadavg') ?? '')?.[1]);
  return Number.isFinite(maxpid) && curproc !== undefined ? { time, maxpid, curproc } : undefined;
}

function kibibytes(meminfo: string | undefined, name: string): number | undefined {
  const found = numberIn(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo ?? '')?.[1]);
  return found === undefined ? undefined : found * 1024;
}

function numberIn(text: string | undefined): number | undefined {
  const found = Number(text?.trim() || Number.NaN);
  return Number.isNaN(found) ? undefined : found;
}
