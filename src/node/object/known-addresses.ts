import { canonicalJson } from '../../kube/text/canonical-json.ts';
import type { NodeAddress } from '../../kube/node.ts';

/** The addresses of this node. */
export interface ObservedAddresses {
  /** Empty when the node has none. */
  readonly addresses: readonly NodeAddress[];
  /** `node`: the API's object has these addresses. `host`: this host has them, and no object of the node is known. */
  readonly from: 'node' | 'host';
}

/** The latest addresses of this node. Reports each change once, and the same addresses again when asked to. */
export class KnownAddresses {
  readonly #report: (observed: ObservedAddresses) => void;
  readonly #known = Promise.withResolvers<void>();
  #latest: ObservedAddresses | undefined;
  #text = '';

  constructor(report: (observed: ObservedAddresses) => void) {
    this.#report = report;
  }

  observed(latest: ObservedAddresses): void {
    const text = canonicalJson(latest);
    if (text === this.#text) return;
    this.#text = text;
    this.#latest = latest;
    this.#report(latest);
    this.#known.resolve();
  }

  /** A listener may have missed a report, or may have restarted. */
  reportAgain(): void {
    if (this.#latest !== undefined) this.#report(this.#latest);
  }

  /** Resolves with the latest addresses, once there are any observed. */
  async latest(): Promise<ObservedAddresses> {
    await this.#known.promise;
    return this.#latest ?? NONE;
  }
}

const NONE: ObservedAddresses = { addresses: [], from: 'host' };
