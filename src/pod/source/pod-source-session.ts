import type { PodUid } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';
import type { PodSource, PodSourceChange } from './pod-source-change.ts';

/** How often a source shows that it lives: so long, at the most, it stays unknown that a message of it has got lost. */
export const SHOW_LIFE_EVERY_MS = 5_000;

/** What a source has said to the pod manager since either of them began anew. */
export class PodSourceSession {
  readonly #source: PodSource;
  readonly #incarnation: number;
  #number = 0;
  #said = 0;
  #toldComplete = false;

  /** `incarnation`: of the source; a later one's sessions are later than all of one before it. */
  constructor(source: PodSource, incarnation: number) {
    this.#source = source;
    this.#incarnation = incarnation;
  }

  /** The listener has lost something: what is said next must be all there is. */
  begin(): void {
    this.#number += 1;
    this.#said = 0;
    this.#toldComplete = false;
  }

  /** The message that says it; undefined when there is nothing new in it. */
  say(news: {
    readonly set: readonly Pod[];
    readonly gone: readonly PodUid[];
    readonly complete: boolean;
  }): PodSourceChange | undefined {
    const { set, gone, complete } = news;
    return set.length + gone.length === 0 && complete === this.#toldComplete ? undefined : this.#numbered(news);
  }

  /** Nothing new, so that the listener finds out whether it has heard everything. Undefined: there was nothing to hear yet. */
  showLife(): PodSourceChange | undefined {
    if (this.#said === 0) return undefined;
    return this.#numbered({ set: [], gone: [], complete: this.#toldComplete });
  }

  #numbered(news: Pick<PodSourceChange, 'set' | 'gone' | 'complete'>): PodSourceChange {
    this.#toldComplete = news.complete;
    const session = [this.#incarnation, this.#number] as const;
    const { set, gone, complete } = news;
    return { type: 'source-changed', source: this.#source, session, number: ++this.#said, set, gone, complete };
  }
}
