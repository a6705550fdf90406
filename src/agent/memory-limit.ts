import { parseQuantity, quantityValue } from '../kube/quantity.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';

/** What `--memory-limit` asks for. */
export type MemoryLimitAsked =
  { readonly type: 'auto' } | { readonly type: 'none' } | { readonly type: 'bytes'; readonly bytes: number };

const MIB = 2 ** 20;
/** An agent without pods holds some 90 MiB, and the threads of a large machine twice that: less would end each at its start. */
const LEAST_ASKED_BYTES = 256 * MIB;

/** The value of `--memory-limit`. `undefined` when it is no such value. */
export function readMemoryLimit(text: string): MemoryLimitAsked | undefined {
  if (text === 'auto' || text === 'none') return { type: text };
  if (!parseQuantity(text).ok) return undefined;
  const bytes = Number(quantityValue(text));
  return bytes < LEAST_ASKED_BYTES ? undefined : { type: 'bytes', bytes };
}

export interface MemoryOfMachine {
  readonly machineBytes: number;
  /** Limit of the cgroup that the agent is in. `undefined` when there is none. */
  readonly cgroupBytes: number | undefined;
}

type Reserving = Pick<KubeletConfiguration, 'kubeReserved' | 'systemReserved' | 'maxPods'>;

/** Several times what an agent is measured to hold, which is below 100 MiB without pods. */
const WITHOUT_PODS_BYTES = 1024 * MIB;
/** The same for each pod, which is some 50 KiB. */
const PER_POD_BYTES = MIB / 4;
/** Of the machine: pods are what a node is for. */
const SHARE_OF_MACHINE = 1 / 2;
/** A machine too small for that has at least an agent. */
const LEAST_BYTES = 256 * MIB;
/** Of the agent's cgroup: the agent can say what holds the memory only while the kernel has not ended it. */
const SHARE_OF_CGROUP = 9 / 10;

/**
 * Memory that the agent may hold, in bytes; above that it ends. `undefined` when there is no limit. A node in good order never comes near
 * it: it grows with the pods that the node may have, and with what the node reserves for its daemons.
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
