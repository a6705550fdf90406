import { podUid, type PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** The pods that the URL named last. */
export class HttpPods {
  #pods = new Map<PodUid, Pod>();

  /** The URL names these now. A pod of a UID that is known is the same pod: the UID is made of what is written. */
  replace(pods: readonly Pod[]): { readonly set: readonly Pod[]; readonly gone: readonly PodUid[] } {
    const named = new Map(pods.map((pod) => [podUid(pod.metadata.uid), pod]));
    const set = [...named].filter(([uid]) => !this.#pods.has(uid)).map(([, pod]) => pod);
    const gone = [...this.#pods.keys()].filter((uid) => !named.has(uid));
    // Those that are known keep the moment at which they were first seen.
    this.#pods = new Map([...named].map(([uid, pod]) => [uid, this.#pods.get(uid) ?? pod]));
    return { set, gone };
  }

  all(): readonly Pod[] {
    return [...this.#pods.values()];
  }
}
