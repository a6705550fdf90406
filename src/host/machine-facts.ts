import { own } from '../kube/text/own.ts';
import { memInfoBytes } from './mem-info.ts';

/** Facts of a machine. Amounts are bytes. */
export interface MachineFacts {
  readonly machineId: string;
  readonly systemUuid: string;
  readonly bootId: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** `linux`. */
  readonly operatingSystem: string;
  /** Go's name: `amd64`, `arm64`. */
  readonly architecture: string;
  /** `undefined` when the machine could not be read. */
  readonly size: MachineSize | undefined;
  readonly swapBytes: bigint;
}

export interface MachineSize {
  readonly logicalCores: number;
  readonly memoryBytes: bigint;
  /** Size of the filesystem with the agent's root folder. `undefined` when it could not be read. */
  readonly rootFsBytes: bigint | undefined;
  readonly hugePages: readonly HugePages[];
}

export interface HugePages {
  readonly pageBytes: bigint;
  readonly pages: bigint;
}

/** Reads a machine. A missing file is `undefined`, a missing folder an empty list. */
export interface HostReader {
  read(path: string): string | undefined;
  list(directory: string): readonly string[];
  /** Size of the filesystem a path is on, in bytes. */
  fileSystemBytes(path: string): bigint | undefined;
  readonly logicalCores: number;
  readonly kernelVersion: string;
  /** Node's name of the architecture. */
  readonly architecture: string;
}

const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/** Returns the machine's architecture in Go's names, as labels and images have them. */
export const goArchitecture = ({ architecture }: Pick<HostReader, 'architecture'>): string =>
  own(GO_ARCHITECTURES, architecture) ?? architecture;

const HUGE_PAGES = '/sys/kernel/mm/hugepages';

/**
 * Returns all facts of the machine for the Node object. `rootDir` need not exist yet: its nearest existing parent is
 * used.
 */
export function readMachineFacts(host: HostReader, rootDir: string): MachineFacts {
  const first = (...paths: readonly string[]): string => {
    for (const path of paths) {
      // Device-tree values end with a NUL.
      const text = host.read(path)?.replaceAll('\0', '').trim();
      if (text !== undefined && text !== '') return text;
    }
    return '';
  };
  const memory = host.read('/proc/meminfo') ?? '';
  const memoryBytes = memInfoBytes(memory, 'MemTotal');
  return {
    machineId: first('/etc/machine-id', '/var/lib/dbus/machine-id'),
    systemUuid: first(
      '/sys/class/dmi/id/product_uuid',
      '/proc/device-tree/system-id',
      '/proc/device-tree/vm,uuid',
      '/etc/machine-id',
    ),
    bootId: first('/proc/sys/kernel/random/boot_id'),
    kernelVersion: host.kernelVersion,
    osImage: osImage(first('/etc/os-release', '/usr/lib/os-release')),
    operatingSystem: 'linux',
    architecture: goArchitecture(host),
    size:
      memoryBytes === undefined
        ? undefined
        : {
            logicalCores: host.logicalCores,
            memoryBytes,
            rootFsBytes: fileSystemBytes(host, rootDir),
            hugePages: hugePages(host),
          },
    swapBytes: memInfoBytes(memory, 'SwapTotal') ?? 0n,
  };
}

/** Returns `PRETTY_NAME` of os-release(5), or a plain description. */
function osImage(release: string): string {
  const value = /^PRETTY_NAME=(?:"([^"]*)"|'([^']*)'|(\S+))/m.exec(release);
  return value?.[1] ?? value?.[2] ?? value?.[3] ?? 'Linux';
}

function fileSystemBytes(host: HostReader, path: string): bigint | undefined {
  const found = host.fileSystemBytes(path);
  if (found !== undefined || path === '/' || path === '') return found;
  return fileSystemBytes(host, path.slice(0, path.lastIndexOf('/')) || '/');
}

const hugePages = (host: HostReader): readonly HugePages[] =>
  host
    .list(HUGE_PAGES)
    .flatMap((name) => {
      const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
      const pages = /^\d+/.exec(host.read(`${HUGE_PAGES}/${name}/nr_hugepages`) ?? '')?.[0];
      return size === undefined || pages === undefined
        ? []
        : [{ pageBytes: BigInt(size) * 1024n, pages: BigInt(pages) }];
    })
    .sort((one, other) => Number(one.pageBytes - other.pageBytes));
