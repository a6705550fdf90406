import { readFileSync, writeFileSync } from 'node:fs';
import type { Log } from '../actor/log.ts';
import { apiUse, type AgentSettings } from './settings.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import { HostUnfit } from '../host/host-unfit.ts';

export interface HostToPrepare {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly cgroups: Pick<Cgroups, 'exists' | 'set'>;
}

/**
 * Brings this host into the shape that a node is to have: the daemons' own cgroups are held to what is reserved for them, and the
 * kernel is set as a node of a cluster is run (alone, an agent leaves its host as it finds it). Throws a `HostUnfit` where the configuration
 * says that the agent must not run on such a host.
 */
export async function prepareHost(settings: AgentSettings, { log, cgroups }: HostToPrepare): Promise<void> {
  const { config } = settings;
  const { holdReserved, reservedCgroups } = await import('../cgroups/reserved-cgroups.ts');
  for (const reserved of reservedCgroups(config)) {
    const problem = holdReserved(cgroups, reserved);
    if (problem !== undefined) throw new HostUnfit(problem);
    log.info({ cgroup: reserved.path }, `Updated limits on ${reserved.whose} reserved cgroup ${reserved.path}`);
  }
  if (apiUse(settings) !== 'api') return;
  const { tuneKernel } = await import('../host/kernel-tunables.ts');
  const { problems, warnings, changed } = tuneKernel(sysctlFiles, { protect: config.protectKernelDefaults });
  if (problems.length > 0) throw new HostUnfit(problems.join('; '));
  if (changed.length > 0) log.info({ changed }, 'the kernel is set as a node is run');
  for (const warning of warnings) log.warn({}, warning);
}

const sysctlFiles = {
  read(path: string): string | undefined {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  write: (path: string, text: string): void => writeFileSync(path, text),
};
