import type { PodUid } from '../../kube/ids.ts';
import { own } from '../../kube/text/own.ts';
import type { Pod } from '../../kube/pod.ts';
import { podTotal, type ResourceAmounts } from '../../kube/pod-resources.ts';
import { quantityNano } from '../../kube/quantity.ts';
import { HostPorts } from './host-ports.ts';

/**
 * The pods that a node has admitted and that have not ended. Their requests are kept as sums, so that admission need
 * not look at each pod.
 */
export class AdmittedPods {
  readonly #pods = new Map<PodUid, AdmittedPod>();
  /** Pods that must make room. Their requests no longer count, but their ports do. */
  readonly #yielding = new Set<PodUid>();
  readonly #sums = new Map<string, bigint>();
  readonly ports = new HostPorts();

  get size(): number {
    return this.#pods.size - this.#yielding.size;
  }

  has(uid: PodUid): boolean {
    return this.#pods.has(uid);
  }

  /** Returns the requested amount in 10⁻⁹ units. */
  requested(resource: string): bigint {
    return this.#sums.get(resource) ?? 0n;
  }

  /** Adds a pod, or updates its requests. */
  add(uid: PodUid, pod: Pod): void {
    this.#takeOut(uid);
    const requests = this.#yielding.has(uid) ? NOTHING : podRequests(pod);
    this.#pods.set(uid, { uid, pod, requests });
    for (const [name, amount] of requests) this.#sums.set(name, this.requested(name) + amount);
    this.ports.take(pod.spec);
  }

  /**
   * Marks a pod that ends to make room for another. Its requests no longer count; its ports stay taken until it has
   * ended.
   */
  yield(uid: PodUid): void {
    const known = this.#pods.get(uid);
    if (known === undefined || this.#yielding.has(uid)) return;
    this.#yielding.add(uid);
    this.add(uid, known.pod);
  }

  /** Returns the pods that might have to make room. Walks all pods. */
  staying(): readonly AdmittedPod[] {
    return [...this.#pods.values()].filter(({ uid }) => !this.#yielding.has(uid));
  }

  remove(uid: PodUid): void {
    this.#takeOut(uid);
    this.#yielding.delete(uid);
  }

  #takeOut(uid: PodUid): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    for (const [name, amount] of known.requests) {
      const left = this.requested(name) - amount;
      if (left === 0n) this.#sums.delete(name);
      else this.#sums.set(name, left);
    }
    this.ports.giveBack(known.pod.spec);
  }
}

export interface AdmittedPod {
  readonly uid: PodUid;
  readonly pod: Pod;
  readonly requests: ResourceAmounts;
}

const NOTHING: ResourceAmounts = new Map();

/** Returns the pod's requests, with the overhead of its runtime class (KEP-688), in 10⁻⁹ units. */
export function podRequests({ spec }: Pod): ResourceAmounts {
  const { overhead } = spec;
  const requests = podTotal(spec, 'requests');
  if (overhead === undefined) return requests;
  const total = new Map(requests);
  for (const name in overhead) total.set(name, (total.get(name) ?? 0n) + quantityNano(own(overhead, name)));
  return total;
}
