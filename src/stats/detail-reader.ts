import type { CgroupDetails } from './cgroup-details.ts';

/** A container takes about a fifth of a millisecond, so that this is what a scrape may cost. */
const MOST_READ = 100;

/**
 * What the cgroups of containers say, as of the last time that each was read: of each scrape, so many are read anew as it has
 * time for, those that have waited longest first. On a node of a usual size that is all of them.
 */
export class DetailReader {
  readonly #read: (cgroup: string) => CgroupDetails;
  readonly #most: number;
  /** In the order in which they were read. */
  readonly #known = new Map<string, CgroupDetails>();

  constructor(read: (cgroup: string) => CgroupDetails, most = MOST_READ) {
    this.#read = read;
    this.#most = most;
  }

  /** Forgets what is not among these. */
  detailsOf(cgroups: readonly string[]): ReadonlyMap<string, CgroupDetails> {
    const wanted = new Set(cgroups);
    for (const known of this.#known.keys()) if (!wanted.has(known)) this.#known.delete(known);
    const unknown = cgroups.filter((each) => !this.#known.has(each));
    for (const cgroup of [...unknown, ...this.#known.keys()].slice(0, this.#most)) {
      this.#known.delete(cgroup);
      this.#known.set(cgroup, this.#read(cgroup));
    }
    return this.#known;
  }
}
