import type { Clock } from '../actor/clock.ts';

/** How much is read when. */
export interface ReadingPace {
  /** Of a node with no more containers than this, all are read for each scrape. */
  readonly allOf: number;
  /** Of a larger one, those that are new, up to so many; others in slices after it, so that nobody waits for long. */
  readonly slice: number;
  /** How many are read after a scrape, those first that were read longest ago. */
  readonly perScrape: number;
}

const SLICE_EVERY_MS = 100;

/** A container takes about a fifth of a millisecond. */
export const PACE_OF_CGROUPS: ReadingPace = { allOf: 150, slice: 25, perScrape: Number.POSITIVE_INFINITY };
/** What processes hold open may take some milliseconds each. */
export const PACE_OF_PROCESSES: ReadingPace = { allOf: 10, slice: 5, perScrape: 100 };

/**
 * What the cgroups of containers say: on a large node, as of shortly after the scrape before. Nothing is read unless somebody
 * scrapes.
 */
export class DetailReader<Details> {
  readonly #read: (cgroup: string) => Details;
  readonly #after: Clock['after'];
  readonly #pace: ReadingPace;
  /** In the order in which they were read. */
  readonly #known = new Map<string, Details>();
  #cancel: () => void = () => {};

  constructor(
    read: (cgroup: string) => Details,
    { after, pace }: { readonly after: Clock['after']; readonly pace: ReadingPace },
  ) {
    this.#read = read;
    this.#after = after;
    this.#pace = pace;
  }

  /** Forgets what is not among these. */
  detailsOf(cgroups: readonly string[]): ReadonlyMap<string, Details> {
    this.#cancel();
    const wanted = new Set(cgroups);
    for (const known of this.#known.keys()) if (!wanted.has(known)) this.#known.delete(known);
    const unknown = [...wanted].filter((each) => !this.#known.has(each));
    const { allOf, slice, perScrape } = this.#pace;
    if (wanted.size <= allOf) {
      this.#readAll([...this.#known.keys(), ...unknown]);
      return this.#known;
    }
    this.#readAll(unknown.slice(0, slice));
    this.#readLater([...unknown.slice(slice), ...this.#known.keys()].slice(0, perScrape));
    return this.#known;
  }

  #readAll(cgroups: readonly string[]): void {
    for (const cgroup of cgroups) {
      this.#known.delete(cgroup);
      this.#known.set(cgroup, this.#read(cgroup));
    }
  }

  #readLater(cgroups: readonly string[]): void {
    if (cgroups.length === 0) return;
    this.#cancel = this.#after(SLICE_EVERY_MS, () => {
      const { slice } = this.#pace;
      this.#readAll(cgroups.slice(0, slice));
      this.#readLater(cgroups.slice(slice));
    });
  }
}
