/**
 * One agent is killed, and started again, for many scenarios at once: each waits here until all that still take part have
 * got here.
 */
export class Together {
  #taking: number;
  #waiting: (() => void)[] = [];
  #act: () => Promise<void> = () => Promise.resolve();

  constructor(taking: number) {
    this.#taking = taking;
  }

  /** Resolves when it has been done, once, for all. */
  async once(act: () => Promise<void>): Promise<void> {
    this.#act = act;
    const done = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#look();
    return done;
  }

  /** Takes no part any more: nobody waits for it. */
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
