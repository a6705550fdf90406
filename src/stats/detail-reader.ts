import type { Clock } from '../actor/clock.ts';
import type { CgroupDetails } from './cgroup-details.ts';

/** A container takes about a fifth of a millisecond. Of a node of a usual size all are read for each scrape. */
const ALL_OF = 150;
/** Of a larger one, those that are new, up to so many; the others in slices after it, so that nobody waits for long. */
const SLICE = 25;
const SLICE_EVERY_MS = 100;

/**
 * What the cgroups of containers say: on a large node, as of shortly after the scrape before. Nothing is read unless somebody
 * scrapes.
 */
export class DetailReader {
  readonly #read: (cgroup: string) => CgroupDetails;
  readonly #after: Clock['after'];
  readonly #allOf: number;
  /** In the order in which they were read. */
  readonly #known = new Map<string, CgroupDetails>();
  #cancel: () => void = () => {};

  constructor(
    read: (cgroup: string) => CgroupDetails,
    { after, allOf = ALL_OF }: { readonly after: Clock['after']; readonly allOf?: number },
  ) {
    this.#read = read;
    this.#after = after;
    this.#allOf = allOf;
  }

  /** Forgets what is not among these. */
  detailsOf(cgroups: readonly string[]): ReadonlyMap<string, CgroupDetails> {
    this.#cancel();
    const wanted = new Set(cgroups);
    for (const known of this.#known.keys()) if (!wanted.has(known)) this.#known.delete(known);
    const unknown = [...wanted].filter((each) => !this.#known.has(each));
    if (wanted.size <= this.#allOf) {
      this.#readAll([...this.#known.keys(), ...unknown]);
      return this.#known;
    }
    this.#readAll(unknown.slice(0, SLICE));
    this.#readLater([...unknown.slice(SLICE), ...this.#known.keys()]);
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
      this.#readAll(cgroups.slice(0, SLICE));
      this.#readLater(cgroups.slice(SLICE));
    });
  }
}
