export interface TurnLimits {
  /** How much may be in flight at once, in total and for one party. */
  readonly underWay: number;
  readonly underWayOfOne: number;
  /** How much may wait, in total and for one party. */
  readonly waiting: number;
  readonly waitingOfOne: number;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface ClientQueue {
  readonly name: string;
  /** Oldest first. */
  readonly waiting: Waiting[];
  underWay: number;
}

/**
 * Shares a scarce service among parties: each party gets its turn, whatever the others send. Within a party the
 * newest work goes first; the oldest is refused when too much waits. A party that floods the service is served
 * last, at no cost to others.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  /** The party whose last turn was longest ago comes first. */
  readonly #clients = new Map<string, ClientQueue>();
  #underWay = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** How many parties have work in flight or waiting. */
  get parties(): number {
    return this.#clients.size;
  }

  /** Runs a party's work when its turn comes. Resolves with `undefined` when the work is refused and never run. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#turnOf(name))) return undefined;
    try {
      return await work();
    } finally {
      this.#end(name);
    }
  }

  #turnOf(name: string): Promise<boolean> {
    return new Promise((resolve) => {
      const client = this.#clients.get(name) ?? { name, waiting: [], underWay: 0 };
      this.#clients.set(name, client);
      client.waiting.push({ begin: () => resolve(true), refuse: () => resolve(false) });
      this.#waiting += 1;
      this.#beginAllowed();
      if (client.waiting.length > this.#limits.waitingOfOne) this.#refuseOldest(client);
      if (this.#waiting > this.#limits.waiting) this.#refuseOldest(this.#longest());
    });
  }

  #beginAllowed(): void {
    const { underWay, underWayOfOne } = this.#limits;
    // A party that begins work moves to the end, so the walk returns to it only after all others.
    for (const [name, client] of this.#clients) {
      if (this.#underWay >= underWay) return;
      if (client.underWay >= underWayOfOne) continue;
      const next = client.waiting.pop();
      if (next === undefined) continue;
      this.#waiting -= 1;
      this.#underWay += 1;
      client.underWay += 1;
      this.#clients.delete(name);
      this.#clients.set(name, client);
      next.begin();
    }
  }

  #end(name: string): void {
    this.#underWay -= 1;
    const client = this.#clients.get(name);
    if (client !== undefined) {
      client.underWay -= 1;
      this.#forgetIdle(client);
    }
    this.#beginAllowed();
  }

  #longest(): ClientQueue | undefined {
    let longest: ClientQueue | undefined;
    for (const client of this.#clients.values()) {
      if (client.waiting.length > (longest?.waiting.length ?? 0)) longest = client;
    }
    return longest;
  }

  #refuseOldest(client: ClientQueue | undefined): void {
    const oldest = client?.waiting.shift();
    if (client === undefined || oldest === undefined) return;
    this.#waiting -= 1;
    this.#forgetIdle(client);
    oldest.refuse();
  }

  #forgetIdle({ name, underWay, waiting }: ClientQueue): void {
    if (underWay === 0 && waiting.length === 0) this.#clients.delete(name);
  }
}
