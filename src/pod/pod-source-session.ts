import type { PodUid } from '../kube/ids.ts';
import type { Pod } from '../kube/pod.ts';
import type { PodSource, PodSourceChange } from './pod-source-change.ts';

/** What a source has said to the pod manager since either of them began anew. */
export class PodSourceSession {
  readonly #source: PodSource;
  readonly #incarnation: number;
  #number = 0;
  #begun = false;
  #toldComplete = false;

  constructor(source: PodSource, incarnation: number) {
    this.#source = source;
    this.#incarnation = incarnation;
  }

  /** The listener has lost everything: what is said next must be all there is. */
  begin(): void {
    this.#number += 1;
    this.#begun = false;
    this.#toldComplete = false;
  }

  /** The message that says it; undefined when there is nothing new in it. */
  say({
    set,
    gone,
    complete,
  }: {
    readonly set: readonly Pod[];
    readonly gone: readonly PodUid[];
    readonly complete: boolean;
  }): PodSourceChange | undefined {
    if (set.length + gone.length === 0 && complete === this.#toldComplete) return undefined;
    const begins = !this.#begun;
    this.#begun = true;
    this.#toldComplete = complete;
    const session = `${this.#incarnation}/${this.#number}`;
    return { type: 'source-changed', source: this.#source, session, begins, set, gone, complete };
  }
}
