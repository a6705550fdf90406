import type { PodUid } from '../kube/ids.ts';
import type { Pod, PodSpec } from '../kube/pod.ts';
import { podTotal, type ResourceAmounts } from '../kube/pod-resources.ts';
import { quantityNano } from '../kube/quantity.ts';
import { HostPorts } from './host-ports.ts';

/**
 * The pods that a node has taken and that have not ended: what they ask for together, kept as sums, so that one more is
 * judged without looking at the others.
 */
export class AdmittedPods {
  readonly #pods = new Map<PodUid, { readonly spec: PodSpec; readonly requests: ResourceAmounts }>();
  readonly #sums = new Map<string, bigint>();
  readonly ports = new HostPorts();

  get size(): number {
    return this.#pods.size;
  }

  has(uid: PodUid): boolean {
    return this.#pods.has(uid);
  }

  /** In 10⁻⁹ units. */
  requested(resource: string): bigint {
    return this.#sums.get(resource) ?? 0n;
  }

  /** Takes it, or what it asks for now. */
  add(uid: PodUid, pod: Pod): void {
    this.remove(uid);
    const requests = podRequests(pod);
    this.#pods.set(uid, { spec: pod.spec, requests });
    for (const [name, amount] of requests) this.#sums.set(name, this.requested(name) + amount);
    this.ports.take(pod.spec);
  }

  remove(uid: PodUid): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    for (const [name, amount] of known.requests) {
      const left = this.requested(name) - amount;
      if (left === 0n) this.#sums.delete(name);
      else this.#sums.set(name, left);
    }
    this.ports.giveBack(known.spec);
  }
}

/** What the pod asks of the node, overhead of its runtime class included (KEP-688). In 10⁻⁹ units. */
export function podRequests({ spec }: Pod): ResourceAmounts {
  const { overhead } = spec;
  const requests = podTotal(spec, 'requests');
  if (overhead === undefined) return requests;
  const total = new Map(requests);
  for (const name in overhead) total.set(name, (total.get(name) ?? 0n) + quantityNano(overhead[name]));
  return total;
}
