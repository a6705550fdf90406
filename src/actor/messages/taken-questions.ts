/** The questions that have come to this thread and are not answered yet, by the thread they came from. */
export class TakenQuestions {
  readonly #open = new Map<string, Set<number>>();

  take(thread: string, id: number): void {
    const open = this.#open.get(thread);
    if (open === undefined) this.#open.set(thread, new Set([id]));
    else open.add(id);
  }

  /** Answered, or lost: nothing more will come of it here. */
  done(thread: string, id: number): void {
    this.#open.get(thread)?.delete(id);
  }

  /** Its askers are gone with it. */
  threadEnded(thread: string): void {
    this.#open.delete(thread);
  }

  /** Those of these questions that are not here: they never came, or their answers have left. */
  missing(thread: string, ids: readonly number[]): readonly number[] {
    const open = this.#open.get(thread);
    return open === undefined ? ids : ids.filter((id) => !open.has(id));
  }
}
