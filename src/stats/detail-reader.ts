import type { CgroupDetails } from './cgroup-details.ts';

/**
 * A container takes about a fifth of a millisecond. Of a node of a usual size all are read for each scrape; of a larger one,
 * whose scrapes cost more besides, so many.
 */
const ALL_OF = 150;
const MOST_OF_MORE = 50;

/**
 * What the cgroups of containers say, as of the last time that each was read: of each scrape, so many are read anew as it has
 * time for, those that have waited longest first.
 */
export class DetailReader {
  readonly #read: (cgroup: string) => CgroupDetails;
  readonly #limits: { readonly allOf: number; readonly mostOfMore: number };
  /** In the order in which they were read. */
  readonly #known = new Map<string, CgroupDetails>();

  constructor(read: (cgroup: string) => CgroupDetails, limits = { allOf: ALL_OF, mostOfMore: MOST_OF_MORE }) {
    this.#read = read;
    this.#limits = limits;
  }

  /** Forgets what is not among these. */
  detailsOf(cgroups: readonly string[]): ReadonlyMap<string, CgroupDetails> {
    const wanted = new Set(cgroups);
    for (const known of this.#known.keys()) if (!wanted.has(known)) this.#known.delete(known);
    const { allOf, mostOfMore } = this.#limits;
    const most = wanted.size <= allOf ? allOf : mostOfMore;
    const unknown = cgroups.filter((each) => !this.#known.has(each));
    for (const cgroup of [...unknown, ...this.#known.keys()].slice(0, most)) {
      this.#known.delete(cgroup);
      this.#known.set(cgroup, this.#read(cgroup));
    }
    return this.#known;
  }
}
