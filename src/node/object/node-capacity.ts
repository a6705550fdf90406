import { own } from '../../kube/text/own.ts';
import { formatQuantity, parseQuantity, quantityNano } from '../../kube/quantity.ts';
import type { ResourceList } from '../../kube/pod.ts';
import type { HugePages, MachineSize } from '../../host/machine-facts.ts';

/** The parts of the configuration that decide a node's size. Names are those of KubeletConfiguration. */
export interface CapacitySettings {
  readonly maxPods: number;
  readonly podsPerCore: number;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly reservedSystemCPUs: string;
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly localStorageCapacityIsolation: boolean;
}

const NANO = 1_000_000_000n;

const bytes = (amount: bigint): string => formatQuantity({ nano: amount * NANO, format: 'binary-si' });
const count = (amount: number): string => String(amount);

/** Returns the resource name for pages of this size: `hugepages-2Mi`. */
export const hugePagesResource = ({ pageBytes }: Pick<HugePages, 'pageBytes'>): string =>
  `hugepages-${bytes(pageBytes)}`;
export const isHugePagesResource = (resource: string): boolean => resource.startsWith('hugepages-');

/** Returns the machine's capacity for pods. A machine that cannot be read only has the configured number of pods. */
export function nodeCapacity(size: MachineSize | undefined, settings: CapacitySettings): ResourceList {
  const { maxPods, podsPerCore, localStorageCapacityIsolation } = settings;
  if (size === undefined) return { cpu: '0', memory: '0', pods: count(maxPods) };
  const pods = podsPerCore > 0 ? Math.min(size.logicalCores * podsPerCore, maxPods) : maxPods;
  const storage =
    localStorageCapacityIsolation && size.rootFsBytes !== undefined
      ? { 'ephemeral-storage': bytes(size.rootFsBytes) }
      : {};
  const hugePages = size.hugePages.map(
    (each) => [hugePagesResource(each), bytes(each.pageBytes * each.pages)] as const,
  );
  return {
    cpu: count(size.logicalCores),
    ...storage,
    ...Object.fromEntries(hugePages),
    memory: bytes(size.memoryBytes),
    pods: count(pods),
  };
}

/** Returns how much of each resource the node keeps for itself (KEP-1, "Node Allocatable"). */
export function nodeReservation(capacity: ResourceList, settings: CapacitySettings): ReadonlyMap<string, bigint> {
  const reserved = new Map<string, bigint>();
  const add = (resource: string, nano: bigint): void => {
    if (own(capacity, resource) !== undefined) reserved.set(resource, (reserved.get(resource) ?? 0n) + nano);
  };
  const { system, kube } = reservedByName(settings);
  for (const [resource, amount] of [...Object.entries(system), ...Object.entries(kube)])
    add(resource, quantityNano(amount));
  for (const [signal, resource] of EVICTION_RESOURCES) {
    const threshold = settings.evictionHard[signal];
    if (threshold !== undefined) add(resource, thresholdNano(threshold, quantityNano(capacity[resource])));
  }
  return reserved;
}

/**
 * Returns the reservation enforced on the cgroups of pods. Eviction thresholds are left out, so that eviction comes
 * first.
 */
export const enforcedReservation = (capacity: ResourceList, settings: CapacitySettings): ReadonlyMap<string, bigint> =>
  nodeReservation(capacity, { ...settings, evictionHard: {} });

/**
 * Returns the resources left for pods. Resources that others have added to the capacity (devices, `kubectl patch`) are
 * left in full. Memory is reduced by the huge pages.
 */
export function nodeAllocatable(capacity: ResourceList, reserved: ReadonlyMap<string, bigint>): ResourceList {
  const left = new Map<string, bigint>();
  for (const [resource, amount] of Object.entries(capacity)) {
    left.set(resource, atLeastZero(quantityNano(amount) - (reserved.get(resource) ?? 0n)));
  }
  for (const [resource, amount] of Object.entries(capacity)) {
    const memory = left.get('memory');
    if (isHugePagesResource(resource) && memory !== undefined)
      left.set('memory', atLeastZero(memory - quantityNano(amount)));
  }
  return Object.fromEntries(
    [...left].map(([resource, nano]) => [resource, written(nano, own(capacity, resource) ?? '0')]),
  );
}

const EVICTION_RESOURCES = [
  ['memory.available', 'memory'],
  ['nodefs.available', 'ephemeral-storage'],
] as const;

const atLeastZero = (nano: bigint): bigint => (nano < 0n ? 0n : nano);

/** Formats an amount in the suffix family of the capacity. */
function written(nano: bigint, like: string | number): string {
  const parsed = parseQuantity(like);
  return formatQuantity({ nano, format: parsed.ok ? parsed.quantity.format : 'decimal-si' });
}

/** A list of reserved CPUs decides the reserved amount of CPU; amounts beside the list are ignored. */
function reservedByName({ reservedSystemCPUs, systemReserved, kubeReserved }: CapacitySettings): {
  readonly system: Readonly<Record<string, string>>;
  readonly kube: Readonly<Record<string, string>>;
} {
  if (reservedSystemCPUs === '') return { system: systemReserved, kube: kubeReserved };
  const { cpu: _, ...kube } = kubeReserved;
  return { system: { ...systemReserved, cpu: String(cpusIn(reservedSystemCPUs)) }, kube };
}

/** Returns the number of CPUs in a list such as `0-3,8`. */
export function cpusIn(list: string): number {
  const named = new Set<number>();
  for (const part of list.split(',')) {
    const [first = '', last = first] = part.split('-');
    if (first === '') continue;
    for (let cpu = Number(first); cpu <= Number(last); cpu += 1) named.add(cpu);
  }
  return named.size;
}

/**
 * Returns a threshold such as `100Mi` or `10%` as an amount. Percentages of the capacity are computed in single
 * precision, as in the kubelet, so that both publish the same number. `0%` and `100%` mean no threshold.
 */
export function thresholdNano(threshold: string, capacityNano: bigint): bigint {
  if (!threshold.endsWith('%')) return quantityNano(threshold);
  const percent = Math.fround(Number(threshold.slice(0, -1)));
  if (percent === 0 || percent === 100) return 0n;
  const share = Math.fround(percent / 100);
  return BigInt(Math.trunc(Number(capacityNano / NANO) * share)) * NANO;
}
