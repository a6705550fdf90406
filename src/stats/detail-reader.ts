import type { Clock } from '../actor/clock.ts';

/** How much is read at which time. */
export interface ReadingPace {
  /** Up to this many containers, all are read for each scrape. */
  readonly allOf: number;
  /**
   * Above `allOf`, a scrape reads up to this many new ones. Others are read in slices after the scrape, so other
   * work is not delayed.
   */
  readonly slice: number;
  /** How many are read after a scrape, the longest unread first. */
  readonly perScrape: number;
}

const SLICE_EVERY_MS = 100;

/** A container takes about a fifth of a millisecond. */
export const PACE_OF_CGROUPS: ReadingPace = { allOf: 150, slice: 25, perScrape: Number.POSITIVE_INFINITY };
/** The open files of a container's processes may take some milliseconds each. */
export const PACE_OF_PROCESSES: ReadingPace = { allOf: 10, slice: 5, perScrape: 100 };

/**
 * Cgroup details of containers. On a large node they are as old as the previous scrape. Nothing is read without
 * scrapes.
 */
export class DetailReader<Details> {
  readonly #read: (cgroup: string) => Details;
  readonly #after: Clock['after'];
  readonly #pace: ReadingPace;
  /** In reading order. */
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

  /** Returns the details of these cgroups and drops all others. */
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
