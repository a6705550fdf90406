import type { Cgroups } from './cgroups.ts';
import type { SystemdManager } from './systemd-manager.ts';
import { unitBasics, unitOf, unitProperties } from './systemd-units.ts';

export interface SystemdCgroupsOptions {
  /** The same cgroups as folders: what systemd does not know of is set there, and what it leaves is removed. */
  readonly files: Cgroups;
  readonly manager: SystemdManager;
  readonly version: 1 | 2;
  /** Told when systemd does not answer: the files are set all the same, and systemd may undo it. Once a unit. */
  readonly warn: (message: string) => void;
}

/**
 * Cgroups of a host whose systemd owns the tree (cgroup driver `systemd`). It is told of every slice and of its limits: what
 * it does not know it would set back when a container's scope is made below.
 */
export function systemdCgroups({ files, manager, version, warn }: SystemdCgroupsOptions): Cgroups {
  const warned = new Set<string>();
  const tell = (path: string, problem: string | undefined): void => {
    if (problem === undefined) return void warned.delete(path);
    if (!warned.has(path)) warn(`${path}: ${problem}`);
    warned.add(path);
  };
  const gone = (path: string, problem: string | undefined): string | undefined => {
    if (problem !== undefined) return problem;
    tell(path, manager.stop(unitOf(path)));
    // It is nobody's any more.
    warned.delete(path);
    return undefined;
  };
  return {
    exists: (path) => files.exists(path),
    childrenOf: (path) => files.childrenOf(path),
    set(path, values) {
      const unit = unitOf(path);
      const properties = unitProperties(values, version);
      const started = manager.start(unit, [...unitBasics(unit, version), ...properties]);
      if (started !== 'is-there') tell(path, started === 'started' ? undefined : started.problem);
      else tell(path, properties.length === 0 ? undefined : manager.set(unit, properties));
      return files.set(path, values);
    },
    remove: (path) => gone(path, files.remove(path)),
    removeEmpty: (path) => gone(path, files.removeEmpty(path)),
  };
}
