/**
 * Kills and restarts one agent for many scenarios at once: each scenario waits until all other participants
 * wait too.
 */
export class Together {
  #taking: number;
  #waiting: (() => void)[] = [];
  #act: () => Promise<void> = () => Promise.resolve();

  constructor(taking: number) {
    this.#taking = taking;
  }

  /** Resolves after the single restart for all scenarios. */
  async once(act: () => Promise<void>): Promise<void> {
    this.#act = act;
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#look();
    return done;
  }

  /** Removes a participant: the others no longer wait for it. */
  leave(): void {
    this.#taking--;
    this.#look();
  }

  #look(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#taking) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    void this.#act().finally(() => {
      for (const go of waiting) go();
    });
  }
}
