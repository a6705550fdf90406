import { errorCode } from '../kube/text/error-code.ts';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isEntryOf } from '../host/pod-files.ts';
import { cgroupReads } from './cgroup-reads.ts';
import { CONTROLLERS, cgroupWrites, type CgroupWrite, type Controller } from './cgroup-writes.ts';
import type { Cgroups } from './cgroups.ts';
import { messageOf } from '../kube/text/message-of.ts';

export interface HostCgroupsOptions {
  /** The mount point of the hierarchies: `/sys/fs/cgroup`. */
  readonly mount: string;
  /** Kills a process, as `process.kill` does. */
  readonly kill: (pid: number) => void;
}

/** The number of rounds of kills and removals before `remove` gives up and the caller must retry. */
const REMOVE_ATTEMPTS = 5;

/** Cgroup v2 has one hierarchy with all controllers; v1 has one per controller. */
export function hostCgroups({ mount, kill }: HostCgroupsOptions): Cgroups {
  const version = existsSync(`${mount}/cgroup.controllers`) ? 2 : 1;
  const ours = controllersOf(mount, version);
  const hierarchies = version === 2 ? [mount] : ours.map((controller) => `${mount}/${controller}`);
  const hierarchyOf = (controller: Controller): string => (version === 2 ? mount : `${mount}/${controller}`);

  function make(path: string): void {
    for (const hierarchy of hierarchies) {
      if (version === 2) enableAlong(hierarchy, path, ours);
      mkdirSync(`${hierarchy}${path}`, { recursive: true });
    }
  }

  return {
    exists: (path) => hierarchies.every((hierarchy) => existsSync(`${hierarchy}${path}`)),
    set(path, values) {
      try {
        make(path);
      } catch (error) {
        return `making cgroup ${path}: ${messageOf(error)}`;
      }
      for (const write of cgroupWrites(values, version)) {
        if (!ours.includes(write.controller)) continue;
        const problem = writeInto(`${hierarchyOf(write.controller)}${path}`, write);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
    valuesOf(path) {
      try {
        return cgroupReads(ours, version, (controller, file) =>
          readFileSync(`${hierarchyOf(controller)}${path}/${file}`, 'utf8'),
        );
      } catch {
        return undefined;
      }
    },
    childrenOf: (path) => [...new Set(hierarchies.flatMap((hierarchy) => directoriesIn(`${hierarchy}${path}`)))],
    remove: (path) => remove(path, kill),
    removeEmpty: (path) => remove(path, () => {}),
  };

  function remove(path: string, end: (pid: number) => void): string | undefined {
    // The root of a hierarchy must never be removed.
    if (!isEntryOf(dirname(path), basename(path))) return `refusing to remove cgroup ${JSON.stringify(path)}`;
    const every = version === 2 ? hierarchies : directoriesIn(mount).map((name) => `${mount}/${name}`);
    for (const hierarchy of every) {
      const problem = removeTree(`${hierarchy}${path}`, end);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

/** Returns the configured controllers that this host has. */
function controllersOf(mount: string, version: 1 | 2): readonly Controller[] {
  if (version === 1) return CONTROLLERS.filter((controller) => existsSync(`${mount}/${controller}`));
  const offered = readFileSync(`${mount}/cgroup.controllers`, 'utf8').trim().split(' ');
  return CONTROLLERS.filter((controller) => offered.includes(controller));
}

/** A controller of cgroup v2 works in a cgroup only if every cgroup above enables it for its children. */
function enableAlong(mount: string, path: string, controllers: readonly Controller[]): void {
  let directory = mount;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const known = readFileSync(`${directory}/cgroup.subtree_control`, 'utf8').trim().split(' ');
    const missing = controllers.filter((controller) => !known.includes(controller));
    if (missing.length > 0) {
      writeFileSync(`${directory}/cgroup.subtree_control`, missing.map((each) => `+${each}`).join(' '));
    }
    directory = `${directory}/${name}`;
    mkdirSync(directory, { recursive: true });
  }
}

/** The kernel refuses a limit below the present usage; the file's name shows which limit. */
function writeInto(directory: string, { file, text }: CgroupWrite): string | undefined {
  try {
    writeFileSync(`${directory}/${file}`, text);
    return undefined;
  } catch (error) {
    return `writing ${text} to ${directory}/${file}: ${messageOf(error)}`;
  }
}

/** The files of a cgroup belong to the kernel and vanish with their directory. */
function removeTree(directory: string, kill: (pid: number) => void): string | undefined {
  for (let attempt = 1; attempt <= REMOVE_ATTEMPTS; attempt += 1) {
    if (!existsSync(directory)) return undefined;
    if (!isBusyAfterRemoval(directory)) return undefined;
    for (const pid of processesBelow(directory)) kill(pid);
  }
  return `cgroup ${directory} is still in use`;
}

function isBusyAfterRemoval(directory: string): boolean {
  const below = directoriesIn(directory).map((name) => isBusyAfterRemoval(`${directory}/${name}`));
  if (below.includes(true)) return true;
  try {
    rmdirSync(directory);
    return false;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return true;
    // The cgroup is gone, or this process may not change it: leave it alone.
    return false;
  }
}

function processesBelow(directory: string): readonly number[] {
  const own = linesOf(`${directory}/cgroup.procs`).map(Number);
  return [...own, ...directoriesIn(directory).flatMap((name) => processesBelow(`${directory}/${name}`))].filter(
    (pid) => pid > 0,
  );
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function directoriesIn(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
