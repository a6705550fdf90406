import type { PodUid } from '../../kube/ids.ts';
import { own } from '../../kube/text/own.ts';
import type { Pod } from '../../kube/pod.ts';
import { podTotal, type ResourceAmounts } from '../../kube/pod-resources.ts';
import { quantityNano } from '../../kube/quantity.ts';
import { HostPorts } from './host-ports.ts';

/**
 * The pods that a node has taken and that have not ended: what they ask for together, kept as sums, so that one more is
 * judged without looking at the others.
 */
export class AdmittedPods {
  readonly #pods = new Map<PodUid, AdmittedPod>();
  /** Pods that have to make room: what they had is others' already, but for their ports. */
  readonly #yielding = new Set<PodUid>();
  readonly #sums = new Map<string, bigint>();
  readonly ports = new HostPorts();

  get size(): number {
    return this.#pods.size - this.#yielding.size;
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
    this.#takeOut(uid);
    const requests = this.#yielding.has(uid) ? NOTHING : podRequests(pod);
    this.#pods.set(uid, { uid, pod, requests });
    for (const [name, amount] of requests) this.#sums.set(name, this.requested(name) + amount);
    this.ports.take(pod.spec);
  }

  /** It is to end, so that another may come. Asks for nothing from now on; its ports are its own until it has ended. */
  yield(uid: PodUid): void {
    const known = this.#pods.get(uid);
    if (known === undefined || this.#yielding.has(uid)) return;
    this.#yielding.add(uid);
    this.add(uid, known.pod);
  }

  /** Those that might have to make room. Looks at all. */
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

/** What the pod asks of the node, overhead of its runtime class included (KEP-688). In 10⁻⁹ units. */
export function podRequests({ spec }: Pod): ResourceAmounts {
  const { overhead } = spec;
  const requests = podTotal(spec, 'requests');
  if (overhead === undefined) return requests;
  const total = new Map(requests);
  for (const name in overhead) total.set(name, (total.get(name) ?? 0n) + quantityNano(own(overhead, name)));
  return total;
}
