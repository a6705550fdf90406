import type { PodUid } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';
import type { PodSource, PodSourceChange } from './pod-source-change.ts';

/** The interval of a source's sign of life. A lost message stays undetected for at most this long. */
export const SHOW_LIFE_EVERY_MS = 5_000;

/** Everything a source has reported to the pod manager since either side last restarted. */
export class PodSourceSession {
  readonly #source: PodSource;
  readonly #incarnation: number;
  #number = 0;
  #said = 0;
  #toldComplete = false;

  /**
   * `incarnation` is that of the source. Sessions of a later incarnation are later than all sessions of an earlier one.
   */
  constructor(source: PodSource, incarnation: number) {
    this.#source = source;
    this.#incarnation = incarnation;
  }

  /** Begins a new session, because the listener has lost a message: the next report must be complete. */
  begin(): void {
    this.#number += 1;
    this.#said = 0;
    this.#toldComplete = false;
  }

  /** Returns the message for these changes; `undefined` when there is no change. */
  say(news: {
    readonly set: readonly Pod[];
    readonly gone: readonly PodUid[];
    readonly complete: boolean;
  }): PodSourceChange | undefined {
    const { set, gone, complete } = news;
    return set.length + gone.length === 0 && complete === this.#toldComplete ? undefined : this.#numbered(news);
  }

  /** Returns an empty message, by which the listener notices a lost one; `undefined` when nothing was reported yet. */
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
