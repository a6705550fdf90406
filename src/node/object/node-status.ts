import type {
  ContainerImage,
  Node,
  NodeAddress,
  NodeCondition,
  NodeRuntimeHandler,
  NodeStatus,
  NodeSystemInfo,
} from '../../kube/node.ts';
import type { ResourceList } from '../../kube/pod.ts';
import type { MachineFacts } from '../../host/machine-facts.ts';
import { nodeAllocatable, nodeCapacity, nodeReservation, type CapacitySettings } from './node-capacity.ts';
import { pressureVerdicts, readyVerdict, withVerdicts, type Pressures, type Verdict } from './node-conditions.ts';
import { withoutForeignHugePages } from './node-registration.ts';
import type { RuntimeState } from './runtime-state.ts';

/** Everything that a node's status is made of, except what the object already holds. */
export interface NodeObservation {
  readonly machine: MachineFacts;
  /** `undefined` when unknown at present; the addresses on the object then stay. */
  readonly addresses: readonly NodeAddress[] | undefined;
  readonly runtime: RuntimeState;
  /** `undefined` before the first listing. */
  readonly images: readonly ContainerImage[] | undefined;
  /** `undefined` before the first observation. */
  readonly pressures: Pressures | undefined;
  /** The problems that keep the node from running pods. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** `undefined` while the volume manager does not know them yet. */
  readonly volumesInUse: readonly string[] | undefined;
}

export interface StatusSettings extends CapacitySettings {
  readonly port: number;
  readonly kubeletVersion: string;
  readonly declaredFeatures: readonly string[];
}

/** Returns the node's present status: the status on the object, with all the node's own fields updated. */
export function currentNodeStatus(
  existing: NodeStatus,
  observed: NodeObservation,
  { settings, now }: { readonly settings: StatusSettings; readonly now: string },
): NodeStatus {
  const own = nodeCapacity(observed.machine.size, settings);
  const capacity: ResourceList = { ...withoutForeignHugePages(existing.capacity ?? {}, own), ...own };
  const { volumesInUse: formerVolumes, ...rest } = existing;
  const volumesInUse = observed.volumesInUse ?? formerVolumes;
  const addresses = observed.addresses ?? existing.addresses;
  const images = observed.images ?? existing.images;
  return {
    ...rest,
    ...(addresses === undefined ? {} : { addresses }),
    capacity,
    allocatable: nodeAllocatable(capacity, nodeReservation(own, settings)),
    nodeInfo: systemInfo(existing.nodeInfo, observed, settings),
    daemonEndpoints: { kubeletEndpoint: { Port: settings.port } },
    ...(images === undefined ? {} : { images }),
    ...runtimeParts(existing, observed.runtime),
    ...(settings.declaredFeatures.length === 0 ? {} : { declaredFeatures: settings.declaredFeatures }),
    conditions: withVerdicts(existing.conditions ?? [], verdicts(existing, observed, settings), now),
    ...(volumesInUse === undefined || volumesInUse.length === 0 ? {} : { volumesInUse }),
  };
}

/** Returns the node's own conditions. Pressures that were not measured yet keep their previous condition. */
export function verdicts(
  existing: NodeStatus,
  observed: NodeObservation,
  settings: StatusSettings,
): readonly Verdict[] {
  const before = (type: string): boolean => isTrue(existing.conditions, type);
  const pressures = observed.pressures ?? {
    memory: before('MemoryPressure'),
    disk: before('DiskPressure'),
    pid: before('PIDPressure'),
  };
  const own = nodeCapacity(observed.machine.size, settings);
  const ready = readyVerdict({
    problems: observed.problems,
    capacity: own,
    localStorageCapacityIsolation: settings.localStorageCapacityIsolation,
    warnings: observed.warnings,
  });
  return [...pressureVerdicts(pressures), ready];
}

export const isTrue = (conditions: readonly NodeCondition[] | undefined, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

function systemInfo(
  before: NodeSystemInfo | undefined,
  { machine, runtime }: NodeObservation,
  { kubeletVersion }: StatusSettings,
): NodeSystemInfo {
  // A runtime that has not answered yet has not changed.
  const former = before?.containerRuntimeVersion ?? 'unknown://';
  return {
    machineID: machine.machineId,
    systemUUID: machine.systemUuid,
    bootID: machine.bootId,
    kernelVersion: machine.kernelVersion,
    osImage: machine.osImage,
    containerRuntimeVersion: runtime.name === '' ? former : `${runtime.name}://${runtime.version}`,
    kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem: machine.operatingSystem,
    architecture: machine.architecture,
    ...(machine.swapBytes === 0n ? {} : { swap: { capacity: Number(machine.swapBytes) } }),
  };
}

function runtimeParts(existing: NodeStatus, runtime: RuntimeState): Pick<NodeStatus, 'runtimeHandlers' | 'features'> {
  if (runtime.lastAnswerAt === undefined) {
    return {
      ...(existing.runtimeHandlers === undefined ? {} : { runtimeHandlers: existing.runtimeHandlers }),
      ...(existing.features === undefined ? {} : { features: existing.features }),
    };
  }
  const handlers = runtime.handlers
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, recursiveReadOnlyMounts, userNamespaces }): NodeRuntimeHandler => ({
      name,
      features: { recursiveReadOnlyMounts, userNamespaces },
    }));
  const { supplementalGroupsPolicy } = runtime;
  return {
    ...(handlers.length === 0 ? {} : { runtimeHandlers: handlers }),
    ...(supplementalGroupsPolicy === undefined ? {} : { features: { supplementalGroupsPolicy } }),
  };
}

/** `true` if the object was last written under another boot of this machine. */
export const hasRebooted = ({ status }: Node, { bootId }: MachineFacts): boolean => {
  const before = status?.nodeInfo?.bootID ?? '';
  return before !== '' && bootId !== '' && before !== bootId;
};
