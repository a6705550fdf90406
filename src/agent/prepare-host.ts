import { readFileSync, writeFileSync } from 'node:fs';
import type { Log } from '../actor/log.ts';
import { apiUse, type AgentSettings } from './settings.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import { UnsuitableHost } from '../host/unsuitable-host.ts';

export interface HostToPrepare {
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly cgroups: Pick<Cgroups, 'exists' | 'set'>;
}

/**
 * Prepares this host as a node. It limits the daemons' own cgroups to their reservations, and sets the kernel
 * parameters of a cluster node. A standalone agent leaves the kernel parameters alone. Throws a `UnsuitableHost` when
 * the configuration forbids the agent on such a host.
 */
export async function prepareHost(settings: AgentSettings, { log, cgroups }: HostToPrepare): Promise<void> {
  const { config } = settings;
  const { holdReserved, reservedCgroups } = await import('../cgroups/reserved-cgroups.ts');
  for (const reserved of reservedCgroups(config)) {
    const problem = holdReserved(cgroups, reserved);
    if (problem !== undefined) throw new UnsuitableHost(problem);
    log.info({ cgroup: reserved.path }, `Updated limits on ${reserved.whose} reserved cgroup ${reserved.path}`);
  }
  if (apiUse(settings) !== 'api') return;
  const { tuneKernel } = await import('../host/kernel-tunables.ts');
  const { problems, warnings, changed } = tuneKernel(sysctlFiles, { protect: config.protectKernelDefaults });
  if (problems.length > 0) throw new UnsuitableHost(problems.join('; '));
  if (changed.length > 0) log.info({ changed }, 'kernel parameters were set for a Kubernetes node');
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
