import { podUid, type PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** The pods that the URL last named. */
export class HttpPods {
  #pods = new Map<PodUid, Pod>();

  /**
   * Replaces the pods with those that the URL names now. A pod with a known UID is the same pod: the UID is a hash of
   * its manifest.
   */
  replace(pods: readonly Pod[]): { readonly set: readonly Pod[]; readonly gone: readonly PodUid[] } {
    const named = new Map(pods.map((pod) => [podUid(pod.metadata.uid), pod]));
    const set = [...named].filter(([uid]) => !this.#pods.has(uid)).map(([, pod]) => pod);
    const gone = [...this.#pods.keys()].filter((uid) => !named.has(uid));
    // Known pods keep the time at which they were first seen.
    this.#pods = new Map([...named].map(([uid, pod]) => [uid, this.#pods.get(uid) ?? pod]));
    return { set, gone };
  }

  get size(): number {
    return this.#pods.size;
  }

  all(): readonly Pod[] {
    return [...this.#pods.values()];
  }
}
