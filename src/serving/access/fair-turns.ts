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

interface Party {
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
  readonly #parties = new Map<string, Party>();
  #underWay = 0;
  #waiting = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** How many parties have work in flight or waiting. */
  get parties(): number {
    return this.#parties.size;
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
      const party = this.#parties.get(name) ?? { name, waiting: [], underWay: 0 };
      this.#parties.set(name, party);
      party.waiting.push({ begin: () => resolve(true), refuse: () => resolve(false) });
      this.#waiting += 1;
      this.#beginWhatMay();
      if (party.waiting.length > this.#limits.waitingOfOne) this.#refuseOldest(party);
      if (this.#waiting > this.#limits.waiting) this.#refuseOldest(this.#longest());
    });
  }

  #beginWhatMay(): void {
    const { underWay, underWayOfOne } = this.#limits;
    // A party that begins work moves to the end, so the walk returns to it only after all others.
    for (const [name, party] of this.#parties) {
      if (this.#underWay >= underWay) return;
      if (party.underWay >= underWayOfOne) continue;
      const next = party.waiting.pop();
      if (next === undefined) continue;
      this.#waiting -= 1;
      this.#underWay += 1;
      party.underWay += 1;
      this.#parties.delete(name);
      this.#parties.set(name, party);
      next.begin();
    }
  }

  #end(name: string): void {
    this.#underWay -= 1;
    const party = this.#parties.get(name);
    if (party !== undefined) {
      party.underWay -= 1;
      this.#forgetIdle(party);
    }
    this.#beginWhatMay();
  }

  #longest(): Party | undefined {
    let longest: Party | undefined;
    for (const party of this.#parties.values()) {
      if (party.waiting.length > (longest?.waiting.length ?? 0)) longest = party;
    }
    return longest;
  }

  #refuseOldest(party: Party | undefined): void {
    const oldest = party?.waiting.shift();
    if (party === undefined || oldest === undefined) return;
    this.#waiting -= 1;
    this.#forgetIdle(party);
    oldest.refuse();
  }

  #forgetIdle({ name, underWay, waiting }: Party): void {
    if (underWay === 0 && waiting.length === 0) this.#parties.delete(name);
  }
}
