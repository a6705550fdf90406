import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Absolute paths of the programs of a private containerd. */
export interface ContainerdTools {
  readonly containerd: string;
  readonly ctr: string;
  readonly runc: string;
  readonly ip: string;
  readonly iptables: string;
  readonly busybox: string;
  readonly cniBinDir: string;
}

export type ContainerdAvailability =
  | { readonly available: true; readonly tools: ContainerdTools }
  /** `missing` has one entry per thing that is not there, in words for people. */
  | { readonly available: false; readonly missing: readonly string[] };

/** Folders to search. The test of this file passes others. */
export interface MachineView {
  readonly uid: number;
  readonly path: string;
  readonly cniBinDirs: readonly string[];
  /** CapEff of this process as a bit set. */
  readonly capabilities: bigint;
}

const CNI_PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
const CAPABILITIES = [
  { name: 'CAP_NET_ADMIN', bit: 12n },
  { name: 'CAP_SYS_ADMIN', bit: 21n },
];
// Non-login shells of ordinary users, and of root in some containers, leave these out of PATH.
const SYSTEM_DIRS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Says whether a private containerd can run here, with the tools found, or else everything that is missing. */
export function containerdAvailability(view: MachineView = thisMachine()): ContainerdAvailability {
  const missing: string[] = [];
  if (view.uid !== 0) missing.push('root privileges');
  for (const { name, bit } of CAPABILITIES) {
    if ((view.capabilities & (1n << bit)) === 0n) missing.push(`the capability ${name}`);
  }
  const tool = (name: string): string => {
    const found = findExecutable(name, view.path);
    if (found === undefined) missing.push(`the program ${name}`);
    return found ?? '';
  };
  const programs = {
    containerd: tool('containerd'),
    ctr: tool('ctr'),
    runc: tool('runc'),
    ip: tool('ip'),
    iptables: tool('iptables'),
    busybox: tool('busybox'),
  };
  if (programs.busybox !== '' && !isStaticallyLinked(programs.busybox)) {
    missing.push(`a statically linked busybox (${programs.busybox} needs a loader)`);
  }
  const cniBinDir = view.cniBinDirs.find((dir) => CNI_PLUGINS.every((plugin) => existsSync(join(dir, plugin))));
  if (cniBinDir === undefined) missing.push(`the CNI plugins ${CNI_PLUGINS.join(', ')}`);
  if (missing.length > 0 || cniBinDir === undefined) return { available: false, missing };
  return { available: true, tools: { ...programs, cniBinDir } };
}

function thisMachine(): MachineView {
  return {
    uid: process.getuid?.() ?? -1,
    path: [process.env['PATH'] ?? '', ...SYSTEM_DIRS].join(delimiter),
    cniBinDirs: ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'],
    capabilities: effectiveCapabilities(),
  };
}

function effectiveCapabilities(): bigint {
  if (!existsSync('/proc/self/status')) return 0n;
  const line = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return line?.[1] === undefined ? 0n : BigInt(`0x${line[1]}`);
}

function findExecutable(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((dir) => dir !== '')
    .map((dir) => join(dir, name))
    .find((candidate) => isExecutable(candidate));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A dynamically linked ELF file names its loader in a segment of type 3 (PT_INTERP). */
function isStaticallyLinked(path: string): boolean {
  const elf = readFileSync(path);
  const isElf64 = elf.length > 64 && elf.readUInt32BE(0) === 0x7f454c46 && elf[4] === 2 && elf[5] === 1;
  if (!isElf64) return false;
  const tableAt = Number(elf.readBigUInt64LE(32));
  const entrySize = elf.readUInt16LE(54);
  const entries = elf.readUInt16LE(56);
  return Array.from({ length: entries }, (_, i) => elf.readUInt32LE(tableAt + i * entrySize)).every((t) => t !== 3);
}
