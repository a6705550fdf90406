import { RuntimeError } from '../runtime-error.ts';

const FIRST = 2; // 10.88.0.0 is the network and 10.88.0.1 its gateway
const LAST = 0xfffe; // 10.88.255.255 is the broadcast address

/**
 * Assigns the addresses of 10.88.0.0/16, each to one sandbox at a time. A freed address is reused after all others.
 */
export class PodAddresses {
  readonly #used = new Set<number>();
  #next = FIRST;

  /** Throws a ResourceExhausted {@link RuntimeError} when all 65,533 are in use. */
  take(): string {
    if (this.#used.size > LAST - FIRST) throw new RuntimeError('ResourceExhausted', 'no free address in 10.88.0.0/16');
    while (this.#used.has(this.#next)) this.#advance();
    const taken = this.#next;
    this.#used.add(taken);
    this.#advance();
    return `10.88.${taken >> 8}.${taken & 0xff}`;
  }

  release(address: string): void {
    const [, , high, low] = address.split('.').map(Number);
    this.#used.delete(((high ?? 0) << 8) | (low ?? 0));
  }

  #advance(): void {
    this.#next = this.#next === LAST ? FIRST : this.#next + 1;
  }
}
