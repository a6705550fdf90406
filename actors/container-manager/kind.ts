import { cgroupsOf } from '../../src/agent/thread-cgroups.ts';
import { reservedCgroups } from '../../src/cgroups/reserved-cgroups.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';
import { nodeEventObject } from '../../src/kube/event.ts';
import type { ResourceList } from '../../src/kube/pod.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { readMachineFacts } from '../../src/host/machine-facts.ts';
import { maxProcesses } from '../../src/host/max-processes.ts';
import { enforcedReservation, nodeAllocatable, nodeCapacity } from '../../src/node/object/node-capacity.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { ContainerManager } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ContainerManagerProtocol } from './protocol.ts';

/** Maintains the cgroups of the node and of the pods' QoS classes. */
export const kind = agentKind<ContainerManagerProtocol>({
  runsOn: 'node',
  standsOn: [POD_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'pod-cgroup-changed': true,
    'pods-surveyed': true,
    'survey-due': true,
    'cpu-weights-due': true,
  },
  async make(environment) {
    const { settings, node, metrics } = environment;
    const cgroups = await cgroupsOf(environment, metrics);
    const deps = {
      node,
      podsAmounts: amountsForPods(node, settings.config),
      enforcesPods: settings.config.enforceNodeAllocatable.includes('pods'),
      reserved: reservedCgroups(settings.config),
      ...reservedPercent(settings.config),
    };
    return (context) => {
      const record = eventsOf(context, settings);
      return new ContainerManager(context, {
        cgroups,
        settings: deps,
        recordEvent: (event) => record({ object: nodeEventObject(settings.nodeName), ...event }),
      });
    };
  },
});

/**
 * Percentage of the memory of guaranteed pods that burstable and best-effort pods may not take (feature gate
 * `QOSReserved`).
 */
const reservedPercent = (config: KubeletConfiguration): { readonly memoryReservedPercent?: number } => {
  const memory = config.qosReserved['memory'];
  return memory === undefined || !gatesOf(config)('QOSReserved')
    ? {}
    : { memoryReservedPercent: Number.parseInt(memory) };
};

/** Eviction thresholds are not subtracted: eviction must act before the kernel does (Node Allocatable, KEP-1). */
function amountsForPods({ rootDir }: NodeFacts, config: KubeletConfiguration): ResourceList {
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
