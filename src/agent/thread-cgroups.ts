import { accessSync, constants, existsSync } from 'node:fs';
import { systemClock } from '../actor/clock.ts';
import type { MetricFamilies } from '../metrics/metric-families.ts';
import type { KindEnvironment } from './kind.ts';
import type { AgentSettings } from './settings.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import { messageOf } from '../kube/text/message-of.ts';

const CGROUP_MOUNT = '/sys/fs/cgroup';
/** Exists when systemd has started the machine. */
const SYSTEMD_RUNS = '/run/systemd/system';

/** `manages` is `true` if the agent makes cgroups for pods. If not, `problem` may hold a reason for the log. */
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
      problem: `pod cgroups are off: only container limits are enforced, not pod limits: ${why}`,
    };
  }
}

/** Returns the cgroups that the actors of a thread work with. */
export async function cgroupsOf(
  { node, log, faults }: Pick<KindEnvironment, 'node' | 'log'> & Partial<Pick<KindEnvironment, 'faults'>>,
  families?: MetricFamilies,
): Promise<Cgroups> {
  if (node.managesCgroups !== true) return (await import('../cgroups/cgroups.ts')).noCgroups;
  const { hostCgroups } = await import('../cgroups/host-cgroups.ts');
  const files = hostCgroups({ mount: CGROUP_MOUNT, kill: killProcess });
  const cgroups = node.cgroupDriver === 'systemd' && existsSync(SYSTEMD_RUNS) ? await withSystemd(files) : files;
  const made = faults?.cgroups(cgroups) ?? cgroups;
  if (families === undefined) return made;
  const { timedCgroups } = await import('../cgroups/timed-cgroups.ts');
  return timedCgroups(made, { families, seconds: () => systemClock.monotonic() / 1000 });

  async function withSystemd(asFiles: Cgroups): Promise<Cgroups> {
    const { systemdCgroups } = await import('../cgroups/systemd-cgroups.ts');
    const { systemdManager } = await import('../cgroups/systemd-manager.ts');
    const warn = (problem: string): void =>
      log.warn({ problem }, 'cgroup was set, but the systemd unit was not updated');
    return systemdCgroups({ files: asFiles, manager: systemdManager(), version: node.cgroupVersion, warn });
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}
