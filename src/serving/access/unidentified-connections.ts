/** A connection, as far as it matters here. */
export interface Guest {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  destroy(): void;
}

/**
 * Connections whose client has not said who it is. Of these there are at most so many: one more ends the oldest connection
 * of the client address that holds most. A client that opens many therefore loses its own, and others still come in.
 */
export class UnidentifiedConnections {
  readonly #most: number;
  /** By client address, then by port; both oldest first. */
  readonly #byAddress = new Map<string, Map<number, Guest>>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns what is to be called when the connection is closed: a closed one knows its address no more. */
  add(guest: Guest): () => void {
    const { remoteAddress = '', remotePort = 0 } = guest;
    const those = this.#byAddress.get(remoteAddress) ?? new Map<number, Guest>();
    this.#byAddress.set(remoteAddress, those);
    if (!those.has(remotePort)) this.#size += 1;
    those.set(remotePort, guest);
    if (this.#size > this.#most) this.#endOne();
    return () => {
      if (those.get(remotePort) === guest) this.identified({ remoteAddress, remotePort });
    };
  }

  /** The client is known from now on. A TLS connection has the address and port of the plain one that was added. */
  identified({ remoteAddress = '', remotePort = 0 }: Omit<Guest, 'destroy'>): void {
    const those = this.#byAddress.get(remoteAddress);
    if (those?.delete(remotePort) !== true) return;
    this.#size -= 1;
    if (those.size === 0) this.#byAddress.delete(remoteAddress);
  }

  #endOne(): void {
    let busiest: ReadonlyMap<number, Guest> = new Map();
    for (const those of this.#byAddress.values()) if (those.size > busiest.size) busiest = those;
    const [oldest] = busiest.values();
    if (oldest === undefined) return;
    this.identified(oldest);
    oldest.destroy();
  }
}
