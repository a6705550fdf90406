import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostPodFiles, type PathKind } from '../../src/host/pod-files.ts';
import { hostFiles } from '../../src/embedded/runtime/inventory/runtime-files.ts';
import { parseMountInfo, systemMounter, type Mounter } from '../../src/volumes/disk/mounter.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { VolumeExecutor, type VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import type { Json } from '../pod/cri-config/golden-form.ts';
import { MemoryFiles } from '../simulation/node/memory-files.ts';
import { EPOCH } from '../simulation/node/virtual-time.ts';

/** A node's root directory on the real disk. Files below the directory are real; all others are in memory. */
class DiskBelow extends MemoryFiles {
  readonly #root: string;

  constructor(root: string) {
    super();
    this.#root = `${root}/`;
  }

  #isReal(path: string): boolean {
    return path.startsWith(this.#root);
  }

  override makeDirectory(path: string, mode = 0o755): void {
    if (this.#isReal(path)) hostPodFiles.makeDirectory(path, mode);
    else super.makeDirectory(path);
  }

  override writeFile(path: string, text: string, mode = 0o644): void {
    if (this.#isReal(path)) hostPodFiles.writeFile(path, text, mode);
    else super.writeFile(path, text);
  }

  override claim(path: string, text: string): boolean {
    return this.#isReal(path) ? hostPodFiles.claim(path, text) : super.claim(path, text);
  }

  override list(directory: string): readonly string[] {
    return this.#isReal(directory) ? hostPodFiles.list(directory) : super.list(directory);
  }

  override read(path: string): string | undefined {
    return this.#isReal(path) ? hostPodFiles.read(path) : super.read(path);
  }

  override readShared(path: string): string | undefined {
    return this.read(path);
  }

  override readTail(path: string, bytes: number): string | undefined {
    return this.#isReal(path) ? hostPodFiles.readTail(path, bytes) : super.readTail(path, bytes);
  }

  override kindOf(path: string): PathKind | undefined {
    return this.#isReal(path) ? hostPodFiles.kindOf(path) : super.kindOf(path);
  }

  override removeEntry(directory: string, name: string): void {
    if (this.#isReal(directory)) hostPodFiles.removeEntry(directory, name);
    else super.removeEntry(directory, name);
  }

  override writeTerminationMessage(path: string, text: string): void {
    if (this.#isReal(path)) hostFiles.writeTerminationMessage(path, text);
    else super.writeTerminationMessage(path, text);
  }
}

/** The disk of one case, with the node's root directory and the host files that the case needs. */
export interface CaseDisk {
  readonly rootDir: string;
  readonly files: MemoryFiles;
  /** `true` if modes, owners and mounts are as on a node: only where this process may mount. */
  readonly isReal: boolean;
  carryOut(orders: readonly VolumeOrder[]): Promise<readonly VolumeOutcome[]>;
  /** Returns the files below a path of the node's root directory, in the form of the recordings. */
  recorded(path: string): readonly Json[];
  discard(): void;
}

const noMounts: Mounter = {
  mount: () => Promise.resolve(),
  bind: () => Promise.resolve(),
  unmount: () => Promise.resolve(),
  mountPoints: () => Promise.resolve([]),
  pid: process.pid,
  hold: () => Promise.resolve(),
  letGo: () => Promise.resolve(),
};

let mounting: boolean | undefined;

function mayMount(below: string): boolean {
  if (mounting !== undefined) return mounting;
  const target = join(below, 'try');
  mkdirSync(target);
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', target], { stdio: 'ignore' });
    execFileSync('umount', [target], { stdio: 'ignore' });
    return (mounting = true);
  } catch {
    return (mounting = false);
  }
}

export function caseDisk(hostPaths: Readonly<Record<string, string>>): CaseDisk {
  // Below a symbolic link, paths would differ from those that the kernel reports.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'hv-golden-')));
  const [rootDir, host] = [join(dir, 'root'), join(dir, 'host')];
  mkdirSync(rootDir);
  for (const [path, words] of Object.entries(hostPaths)) makeHostPath(join(host, path), words);
  const isReal = mayMount(dir);
  let looks = 0;
  const volumeExecutor = new VolumeExecutor({
    mounter: isReal ? systemMounter : noMounts,
    now: () => EPOCH + ++looks * 1_000,
    chance: () => (++looks % 1_000) / 1_000,
    tmpfsNoSwap: false,
  });
  return {
    rootDir,
    files: new DiskBelow(rootDir),
    isReal,
    async carryOut(orders) {
      const outcomes = await volumeExecutor.carryOut(orders.map((order) => onHost(order, host)));
      return outcomes.map((outcome) =>
        outcome.ok ? outcome : { ...outcome, message: outcome.message.replaceAll(host, '') },
      );
    },
    recorded: (path) => recorded(rootDir, path),
    discard() {
      for (const path of mountsBelow(dir).toReversed()) execFileSync('umount', [path]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const mountsBelow = (dir: string): readonly string[] =>
  parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'))
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${dir}/`));

const DEVICES: readonly (readonly [string, string])[] = [
  ['character device', '/dev/null'],
  ['block device', '/dev/loop0'],
];

function makeHostPath(path: string, words: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const device = DEVICES.find(([kind]) => words.includes(kind));
  if (device !== undefined) symlinkSync(device[1], path);
  else if (words.includes('directory')) mkdirSync(path, { recursive: true });
  else if (!existsSync(path)) writeFileSync(path, '');
  const inside = /sub-directory (?<name>\S+)/.exec(words)?.groups?.['name'];
  if (inside !== undefined) mkdirSync(join(path, inside), { recursive: true });
}

/** Host paths are below `host`: nothing outside this folder is created or changed. */
function onHost(order: VolumeOrder, host: string): VolumeOrder {
  if (order.type !== 'set-up' || order.plan.type !== 'host-path') return order;
  const { path, check } = order.plan;
  const isMade = check.endsWith('OrCreate') || existsSync(join(host, path));
  const isOurs = isMade && !(existsSync(path) && !existsSync(join(host, path)));
  return { ...order, plan: { ...order.plan, path: isOurs ? join(host, path) : path } };
}

function recorded(root: string, path: string): readonly Json[] {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  const link = lstatSync(full).isSymbolicLink() ? { link: readlinkSync(full) } : {};
  const stats = statSync(full);
  const owner = { ...(stats.uid !== 0 && { uid: stats.uid }), ...(stats.gid !== 0 && { gid: stats.gid }) };
  const entry = { path, mode: (stats.mode & 0o7777).toString(8).padStart(4, '0'), ...link, ...owner };
  if (stats.isDirectory()) {
    const inside = readdirSync(full).filter((name) => !name.startsWith('..'));
    return [{ ...entry, dir: true }, ...inside.toSorted().flatMap((name) => recorded(root, `${path}/${name}`))];
  }
  if (!stats.isFile()) return [entry];
  const bytes = readFileSync(full);
  const text = bytes.toString('utf8');
  return [
    {
      ...entry,
      ...(Buffer.from(text).equals(bytes) ? { content: text } : { content_base64: bytes.toString('base64') }),
    },
  ];
}
