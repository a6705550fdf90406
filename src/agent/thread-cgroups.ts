import { accessSync, constants, existsSync } from 'node:fs';
import { systemClock } from '../actor/clock.ts';
import type { MetricFamilies } from '../metrics/metric-families.ts';
import type { KindEnvironment } from './kind.ts';
import type { AgentSettings } from './settings.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import { messageOf } from '../kube/text/message-of.ts';

const CGROUP_MOUNT = '/sys/fs/cgroup';
/** There where systemd is what started the machine. */
const SYSTEMD_RUNS = '/run/systemd/system';

/** Whether pods get cgroups of this agent's making; with the reason why not, where that is worth a word. */
export function cgroupUse({
  config,
  simulatedContainers = false,
}: Pick<AgentSettings, 'config' | 'simulatedContainers'>): {
  readonly manages: boolean;
  readonly problem?: string;
} {
  if (!config.cgroupsPerQOS || simulatedContainers) return { manages: false };
  try {
    accessSync(CGROUP_MOUNT, constants.W_OK);
    return { manages: true };
  } catch (error) {
    const why = messageOf(error);
    return {
      manages: false,
      problem: `pods are not held to their limits as a whole, only their containers are: ${why}`,
    };
  }
}

/** The cgroups that the actors of a thread work with. */
export async function cgroupsOf(
  { node, log, faults }: Pick<KindEnvironment, 'node' | 'log'> & Partial<Pick<KindEnvironment, 'faults'>>,
  families?: MetricFamilies,
): Promise<Cgroups> {
  if (node.managesCgroups !== true) return (await import('../cgroups/cgroups.ts')).noCgroups;
  const { hostCgroups } = await import('../cgroups/host-cgroups.ts');
  const files = hostCgroups({ mount: CGROUP_MOUNT, kill: killProcess });
  const cgroups = node.cgroupDriver === 'systemd' && existsSync(SYSTEMD_RUNS) ? await toldToSystemd(files) : files;
  const made = faults?.cgroups(cgroups) ?? cgroups;
  if (families === undefined) return made;
  const { timedCgroups } = await import('../cgroups/timed-cgroups.ts');
  return timedCgroups(made, { families, seconds: () => systemClock.monotonic() / 1000 });

  async function toldToSystemd(asFiles: Cgroups): Promise<Cgroups> {
    const { systemdCgroups } = await import('../cgroups/systemd-cgroups.ts');
    const { systemdManager } = await import('../cgroups/systemd-manager.ts');
    const warn = (problem: string): void => log.warn({ problem }, 'a cgroup is set, but systemd was not told of it');
    return systemdCgroups({ files: asFiles, manager: systemdManager(), version: node.cgroupVersion, warn });
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
