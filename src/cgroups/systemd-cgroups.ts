import type { Cgroups } from './cgroups.ts';
import type { SystemdManager } from './systemd-manager.ts';
import { unitBasics, unitOf, unitProperties } from './systemd-units.ts';

export interface SystemdCgroupsOptions {
  /**
   * The same cgroups as directories. Settings unknown to systemd are written there, and cgroups that systemd leaves are
   * removed.
   */
  readonly files: Cgroups;
  readonly manager: SystemdManager;
  readonly version: 1 | 2;
  /** Called when systemd does not answer, once per unit. The files are still written, and systemd may revert them. */
  readonly warn: (message: string) => void;
}

/**
 * Cgroups of a host whose systemd owns the tree (cgroup driver `systemd`). systemd receives every slice and its limits.
 * Otherwise it would reset unknown settings when a container's scope is created below.
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
    // The unit is gone, so a later unit of this name may warn again.
    warned.delete(path);
    return undefined;
  };
  return {
    exists: (path) => files.exists(path),
    valuesOf: (path) => files.valuesOf(path),
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
