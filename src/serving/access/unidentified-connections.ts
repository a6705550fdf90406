/** The parts of a connection that are read here. */
export interface Guest {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  destroy(): void;
}

/**
 * Connections of unidentified clients, limited in number. One more closes the oldest connection of the client
 * address with most connections. A client that opens many therefore loses its own, and other clients still get in.
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

  /** Returns a function to call when the connection is closed: a closed connection no longer knows its address. */
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

  /**
   * Records that the client is identified. A TLS connection has the address and port of the plain connection that
   * was added.
   */
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
