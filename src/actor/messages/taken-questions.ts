/** The questions from other threads that are not yet answered, by the thread they came from. */
export class TakenQuestions {
  readonly #open = new Map<string, Set<number>>();

  take(thread: string, id: number): void {
    const open = this.#open.get(thread);
    if (open === undefined) this.#open.set(thread, new Set([id]));
    else open.add(id);
  }

  /** Removes a question that was answered or lost. */
  done(thread: string, id: number): void {
    this.#open.get(thread)?.delete(id);
  }

  /** Removes the questions of a thread that has ended with its askers. */
  threadEnded(thread: string): void {
    this.#open.delete(thread);
  }

  /** Returns the IDs of these questions that are not here. They never arrived, or their answers have left. */
  missing(thread: string, ids: readonly number[]): readonly number[] {
    const open = this.#open.get(thread);
    return open === undefined ? ids : ids.filter((id) => !open.has(id));
  }
}
