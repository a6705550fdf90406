import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { podCgroupValues, type CgroupValues } from '../../../src/cgroups/cgroup-values.ts';
import { LinuxContainerResources, UpdatePodSandboxResourcesRequest } from '../../../src/cri/gen/api.ts';
import { rpcErrorText } from '../../../src/cri/fault.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { quantityMilli, quantityValue } from '../../../src/kube/quantity.ts';
import { podCgroupParent } from '../../../src/node/resources/cgroup-path.ts';
import { cpuQuotaMicroseconds, cpuShares } from '../../../src/node/resources/cpu-values.ts';
import { sandboxOverhead } from '../../../src/pod/cri-config/linux-resources.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** The pod's own cgroup during a resize, as the kernel holds it. */
export class PodCgroup {
  readonly #attempt: SyncAttempt;
  readonly #path: string;
  /** The settings of the allocated resources. */
  readonly wanted: CgroupValues;
  #present: CgroupValues;

  private constructor(attempt: SyncAttempt, path: string, present: CgroupValues) {
    const { pod, tools } = attempt;
    this.#attempt = attempt;
    this.#path = path;
    this.#present = present;
    this.wanted = podCgroupValues(pod, tools.node);
  }

  /** Returns the reason as text when the cgroup cannot be read or is not this agent's. */
  static of(attempt: SyncAttempt): PodCgroup | string {
    const { pod, tools } = attempt;
    const { uid, name, namespace } = pod.metadata;
    if (tools.node.managesCgroups !== true || !isEntryName(uid))
      return 'pods have no cgroups of their own on this node, so no pod can be resized in place';
    const path = podCgroupParent(uid, qosClass(pod), tools.node);
    const present = tools.host.cgroups.valuesOf(path);
    if (present === undefined) return `unable to get pod cgroup config for pod "${name}_${namespace}(${uid})"`;
    return new PodCgroup(attempt, path, present);
  }

  get present(): CgroupValues {
    return this.#present;
  }

  /**
   * Changes a part of the settings. The runtime is notified first, with all settings as they will be. It does not have
   * to support that call. Returns why the change was refused.
   */
  async change(part: CgroupValues): Promise<string | undefined> {
    const next = { ...this.#present, ...part };
    const refused = await this.#notify(next);
    if (refused !== undefined) return refused;
    const problem = this.#attempt.tools.host.cgroups.set(this.#path, part);
    if (problem === undefined) {
      this.#present = next;
      return undefined;
    }
    await this.#notify(this.#present);
    return `failed to set pod cgroup config: ${problem}`;
  }

  async #notify(values: CgroupValues): Promise<string | undefined> {
    const { pod, tools, decided } = this.#attempt;
    const { sandboxId } = decided.actions;
    if (sandboxId === undefined) return undefined;
    const request = UpdatePodSandboxResourcesRequest.fromPartial({
      podSandboxId: sandboxId,
      overhead: sandboxOverhead(pod, tools.node),
      resources: withoutOverhead(values, pod),
    });
    const options = { podUid: pod.metadata.uid };
    const updated = await tools.runtime.cri.call('UpdatePodSandboxResources', request, options);
    return updated.ok || updated.fault.code === 'UNIMPLEMENTED' ? undefined : rpcErrorText(updated.fault);
  }
}

/** Returns the cgroup's settings for the runtime, which receives the overhead of the sandbox separately (KEP-688). */
export function withoutOverhead(
  { cpuShares: shares, cpuQuota, memoryLimitBytes }: CgroupValues,
  { spec: { overhead = {} } }: Pod,
): LinuxContainerResources {
  const cpu = quantityMilli(overhead['cpu']);
  const memory = quantityValue(overhead['memory']);
  const resources: Partial<LinuxContainerResources> = {};
  if (shares !== undefined) resources.cpuShares = cpu === 0n ? shares : cpuShares(milliOf(shares) - cpu);
  if (cpuQuota !== undefined) {
    const { microseconds, periodMicroseconds } = cpuQuota;
    resources.cpuPeriod = periodMicroseconds;
    resources.cpuQuota =
      microseconds === 'unlimited' ? NO_QUOTA : microseconds - cpuQuotaMicroseconds(cpu, periodMicroseconds);
  }
  if (memoryLimitBytes !== undefined) resources.memoryLimitInBytes = memoryLimitBytes - memory;
  return LinuxContainerResources.fromPartial(resources);
}

/** The kernel's value for no limit. */
const NO_QUOTA = -1n;

/** The least thousandths of a CPU that have these shares. */
const milliOf = (shares: bigint): bigint => (shares * 1000n + 1023n) / 1024n;
