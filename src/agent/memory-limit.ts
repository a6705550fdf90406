import { parseQuantity, quantityValue } from '../kube/quantity.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';

/** The value of `--memory-limit`. */
export type MemoryLimitAsked =
  { readonly type: 'auto' } | { readonly type: 'none' } | { readonly type: 'bytes'; readonly bytes: number };

const MIB = 2 ** 20;
/**
 * An agent without pods holds some 90 MiB, and the threads of a large machine twice that. A lower limit would end each
 * agent at its start.
 */
const LEAST_ASKED_BYTES = 256 * MIB;

/** Returns the parsed value of `--memory-limit`. `undefined` when the value is invalid. */
export function readMemoryLimit(text: string): MemoryLimitAsked | undefined {
  if (text === 'auto' || text === 'none') return { type: text };
  if (!parseQuantity(text).ok) return undefined;
  const bytes = Number(quantityValue(text));
  return bytes < LEAST_ASKED_BYTES ? undefined : { type: 'bytes', bytes };
}

export interface MemoryOfMachine {
  readonly machineBytes: number;
  /** Limit of the agent's own cgroup. `undefined` when there is none. */
  readonly cgroupBytes: number | undefined;
}

type Reserving = Pick<KubeletConfiguration, 'kubeReserved' | 'systemReserved' | 'maxPods'>;

/** Several times the measured memory of an agent, which is below 100 MiB without pods. */
const WITHOUT_PODS_BYTES = 1024 * MIB;
/** Several times the measured memory of each pod, which is some 50 KiB. */
const PER_POD_BYTES = MIB / 4;
/** Largest share of the machine: a node is there for its pods. */
const SHARE_OF_MACHINE = 1 / 2;
/** Least limit, on a machine too small for that share. */
const LEAST_BYTES = 256 * MIB;
/**
 * Share of the agent's cgroup. The agent must reach its limit before the kernel kills it, to log what holds the memory.
 */
const SHARE_OF_CGROUP = 9 / 10;

/**
 * Returns the memory that the agent may hold, in bytes; above that it ends. `undefined` when there is no limit. A
 * healthy node never comes near the limit. It grows with the pods that the node may have, and with the node's
 * reservation for its daemons.
 */
export function agentMemoryLimit(
  asked: MemoryLimitAsked,
  config: Reserving,
  { machineBytes, cgroupBytes = Infinity }: MemoryOfMachine,
): number | undefined {
  if (asked.type === 'none') return undefined;
  const wanted = asked.type === 'bytes' ? asked.bytes : defaultLimit(config, machineBytes);
  return Math.floor(Math.min(wanted, cgroupBytes * SHARE_OF_CGROUP));
}

function defaultLimit({ kubeReserved, systemReserved, maxPods }: Reserving, machineBytes: number): number {
  const forDaemons = Number(quantityValue(kubeReserved['memory']) + quantityValue(systemReserved['memory']));
  const wanted = Math.max(WITHOUT_PODS_BYTES + maxPods * PER_POD_BYTES, forDaemons);
  return Math.max(LEAST_BYTES, Math.min(wanted, machineBytes * SHARE_OF_MACHINE));
}
