import { readFile, readdir, rm, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContainerdLayout } from './containerd-config.ts';
import { removeHostPortRules } from './host-port-rules.ts';
import { runProgram } from './run-program.ts';
import { waitUntil } from './wait-until.ts';

export interface RunningProcess {
  readonly pid: number;
  readonly program: string;
}

/** The remains of an instance; all empty when nothing is left. */
export interface Leftovers {
  readonly processes: readonly RunningProcess[];
  readonly mounts: readonly string[];
  readonly links: readonly string[];
}

const CNI_RESULTS = '/var/lib/cni/results';
const SHIM_SOCKETS = '/run/containerd/s/';

export async function findLeftovers(layout: Pick<ContainerdLayout, 'dir' | 'bridge'>): Promise<Leftovers> {
  const links = await readdir('/sys/class/net');
  return {
    processes: await processesOf(layout.dir),
    mounts: await mountsUnder(layout.dir),
    links: links.filter((link) => link === layout.bridge),
  };
}

/** containerd, its shims and runc calls that were started with files of `dir`. */
export async function processesOf(dir: string): Promise<readonly RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => ownedProcess(pid, dir)));
  return found.filter((process) => process !== undefined);
}

async function ownedProcess(pid: number, dir: string): Promise<RunningProcess | undefined> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  const program = basename(args[0] ?? '');
  // An agent or a pager may name our files too; only the runtime's own programs are ours to end.
  const isRuntime = program.startsWith('containerd') || program.startsWith('runc');
  return isRuntime && args.some((arg) => arg.startsWith(`${dir}/`)) ? { pid, program } : undefined;
}

/** Mount points inside `dir`, the latest (and so the innermost) first. */
export async function mountsUnder(dir: string): Promise<readonly string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  return table
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((mountPoint) => mountPoint.startsWith(`${dir}/`))
    .toReversed();
}

/**
 * Removes an instance from the machine by force, in any state: containers, shims, mounts, links, directory.
 * Needs no running containerd. Does nothing without an instance, so it may be called again.
 */
export async function removeByForce(layout: ContainerdLayout): Promise<void> {
  // The daemon first, or it would act on what happens to its containers.
  await killAll(
    (await processesOf(layout.dir)).filter(({ program }) => program === 'containerd'),
    layout.dir,
  );
  await deleteContainers(layout.runcRoot);
  await killAll(await processesOf(layout.dir), layout.dir);
  await removeShimSockets(layout.state);
  for (const mountPoint of await mountsUnder(layout.dir)) {
    // Lazily, since a file may still be open; another process may have unmounted it first.
    await runProgram('umount', ['--lazy', mountPoint]).catch(() => undefined);
  }
  await removeHostPortRules(layout.bridge).catch(() => undefined);
  await removeCniResults(layout);
  await runProgram('ip', ['link', 'delete', layout.bridge]).catch(() => undefined);
  await rm(layout.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function killAll(processes: readonly RunningProcess[], dir: string): Promise<void> {
  for (const { pid } of processes) signal(pid, 'SIGKILL');
  const pids = new Set(processes.map(({ pid }) => pid));
  const gone = async (): Promise<boolean> => !(await processesOf(dir)).some(({ pid }) => pids.has(pid));
  await waitUntil(gone, { what: `the end of processes ${[...pids].join(', ')}`, withinMs: 5_000 });
}

/** `false` when there was no such process. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** runc kills what runs in each container and removes its cgroups, which killing the shim alone would leave. */
async function deleteContainers(runcRoot: string): Promise<void> {
  for (const namespace of await namesIn(runcRoot)) {
    const root = join(runcRoot, namespace);
    for (const id of await namesIn(root)) {
      await runProgram('runc', ['--root', root, 'delete', '--force', id]).catch(() => undefined);
    }
  }
}

/** Shims keep their sockets in one place for the whole machine; each bundle names its own. */
async function removeShimSockets(state: string): Promise<void> {
  const tasks = join(state, 'io.containerd.runtime.v2.task');
  for (const namespace of await namesIn(tasks)) {
    for (const id of await namesIn(join(tasks, namespace))) {
      const address = await readFile(join(tasks, namespace, id, 'address'), 'utf8').catch(() => '');
      const path = address.replace(/^unix:\/\//, '').trim();
      if (path.startsWith(SHIM_SOCKETS)) await unlink(path).catch(() => undefined);
    }
  }
}

/**
 * The CNI library's records of a pod's networks, in one place for the whole machine. Each sandbox has a file for
 * its network, with the network's name, and one for its loopback device, with the same name for all.
 */
async function removeCniResults({ bridge, root }: ContainerdLayout): Promise<void> {
  const sandboxes = await namesIn(join(root, 'io.containerd.grpc.v1.cri', 'sandboxes'));
  const isOurs = (name: string): boolean =>
    name.startsWith(`${bridge}-`) || sandboxes.some((id) => name === `cni-loopback-${id}-lo`);
  const ours = (await namesIn(CNI_RESULTS)).filter(isOurs);
  await Promise.all(ours.map((name) => rm(join(CNI_RESULTS, name), { force: true })));
}

async function namesIn(dir: string): Promise<readonly string[]> {
  return readdir(dir).catch(() => []);
}
