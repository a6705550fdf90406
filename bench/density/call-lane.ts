/** Lets at most so many calls be under way at once; the others wait in the order they came. */
export class CallLane {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((mayGo) => this.#waiting.push(mayGo));
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      // A free slot is handed to the next waiting call, so no later call slips in.
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
