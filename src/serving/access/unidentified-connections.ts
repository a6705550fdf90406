/** The parts of a connection that are read here. */
export interface UnidentifiedConnection {
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
  readonly #byAddress = new Map<string, Map<number, UnidentifiedConnection>>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns a function to call when the connection is closed: a closed connection no longer knows its address. */
  add(connection: UnidentifiedConnection): () => void {
    const { remoteAddress = '', remotePort = 0 } = connection;
    const ofAddress = this.#byAddress.get(remoteAddress) ?? new Map<number, UnidentifiedConnection>();
    this.#byAddress.set(remoteAddress, ofAddress);
    if (!ofAddress.has(remotePort)) this.#size += 1;
    ofAddress.set(remotePort, connection);
    if (this.#size > this.#most) this.#endOne();
    return () => {
      if (ofAddress.get(remotePort) === connection) this.identified({ remoteAddress, remotePort });
    };
  }

  /**
   * Records that the client is identified. A TLS connection has the address and port of the plain connection that
   * was added.
   */
  identified({ remoteAddress = '', remotePort = 0 }: Omit<UnidentifiedConnection, 'destroy'>): void {
    const ofAddress = this.#byAddress.get(remoteAddress);
    if (ofAddress?.delete(remotePort) !== true) return;
    this.#size -= 1;
    if (ofAddress.size === 0) this.#byAddress.delete(remoteAddress);
  }

  #endOne(): void {
    let busiest: ReadonlyMap<number, UnidentifiedConnection> = new Map();
    for (const ofAddress of this.#byAddress.values()) if (ofAddress.size > busiest.size) busiest = ofAddress;
    const [oldest] = busiest.values();
    if (oldest === undefined) return;
    this.identified(oldest);
    oldest.destroy();
  }
}
