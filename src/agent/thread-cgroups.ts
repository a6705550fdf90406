import { accessSync, constants, existsSync } from 'node:fs';
import type { ContainerManagerProtocol } from '../../actors/container-manager/protocol.ts';
import { eventsThroughRecorder, eventsToLog } from '../../actors/event-recorder/client.ts';
import { actorKind, type ActorKind } from '../actor/actor.ts';
import { systemClock } from '../actor/clock.ts';
import type { MetricFamilies } from '../actor/metric-families.ts';
import type { KindConfig } from './kind.ts';
import { apiUse } from './api-settings.ts';
import type { AgentSettings } from './agent.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import { gatesOf } from '../config/feature-gates.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { nodeEventObject } from '../kube/event.ts';
import type { ResourceList } from '../kube/pod.ts';
import type { NodeFacts } from '../node/node-facts.ts';

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
    const why = error instanceof Error ? error.message : String(error);
    return {
      manages: false,
      problem: `pods are not held to their limits as a whole, only their containers are: ${why}`,
    };
  }
}

/** The cgroups that the actors of a thread work with. */
export async function cgroupsOf(
  { node, log, faults }: Pick<KindConfig, 'node' | 'log'> & Partial<Pick<KindConfig, 'faults'>>,
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

/** The actor that keeps the cgroups of the node and of the classes of pods. */
export async function containerManagerKind(config: KindConfig, families: MetricFamilies): Promise<ActorKind> {
  const { ContainerManager } = await import('../../actors/container-manager/actor.ts');
  const { settings, node } = config;
  const cgroups = await cgroupsOf(config, families);
  const podsAmounts = await amountsForPods(node, settings.config);
  const { reservedCgroups } = await import('../cgroups/reserved-cgroups.ts');
  return actorKind<ContainerManagerProtocol>({
    mailbox: { capacity: 100_000 },
    make: (context) => {
      const record = apiUse(settings) === 'api' ? eventsThroughRecorder(context) : eventsToLog(context);
      return new ContainerManager(context, {
        cgroups,
        settings: {
          node,
          podsAmounts,
          enforcesPods: settings.config.enforceNodeAllocatable.includes('pods'),
          reserved: reservedCgroups(settings.config),
          ...reservedPercent(settings.config),
        },
        recordEvent: (event) => record({ object: nodeEventObject(settings.nodeName), ...event }),
      });
    },
  });
}

const reservedPercent = (config: KubeletConfiguration): { readonly memoryReservedPercent?: number } => {
  const memory = config.qosReserved['memory'];
  return memory === undefined || !gatesOf(config)('QOSReserved')
    ? {}
    : { memoryReservedPercent: Number.parseInt(memory) };
};

/** Limits of eviction are not taken off: eviction is to come before the kernel does (Node Allocatable, KEP-1). */
async function amountsForPods({ rootDir }: NodeFacts, config: KubeletConfiguration): Promise<ResourceList> {
  const { enforcedReservation, nodeAllocatable, nodeCapacity } = await import('../node/node-capacity.ts');
  const { hostReader } = await import('../node/host-reader.ts');
  const { readMachineFacts } = await import('../node/machine-facts.ts');
  const { maxProcesses } = await import('../node/max-processes.ts');
  const {
    pods: _,
    'ephemeral-storage': __,
    ...capacity
  } = nodeCapacity(readMachineFacts(hostReader, rootDir).size, config);
  const processes = maxProcesses(hostReader);
  const all = { ...capacity, ...(processes === undefined ? {} : { pid: String(processes) }) };
  if (!config.enforceNodeAllocatable.includes('pods')) return all;
  return nodeAllocatable(all, enforcedReservation(all, config));
}
