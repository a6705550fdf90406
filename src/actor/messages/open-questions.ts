import type { ReplyTo } from './mailbox.ts';

/**
 * The questions that an incarnation has read and not yet answered. Made with the first question: most actors are never
 * asked.
 */
export class OpenQuestions {
  readonly #open = new Set<ReplyTo>();

  /**
   * Reads one question. `read` returns its answer, or a promise of it. A throw leaves the question open; it ends with
   * all others.
   */
  read(reply: ReplyTo, read: () => unknown, failed: (reason: unknown) => void): void {
    const open = this.#open;
    // The question is open before it is read, so that a throw while reading settles it too.
    open.add(reply);
    const answer = read();
    if (!(answer instanceof Promise)) {
      // An actor that finishes while it answers has settled the question already.
      if (open.delete(reply)) reply.answer(answer);
      return;
    }
    answer.then((value) => (open.delete(reply) ? reply.answer(value) : undefined), failed);
  }

  /** Ends all open questions without an answer. */
  end(why: string): void {
    for (const reply of this.#open) reply.fault('callee-ended', why);
    this.#open.clear();
  }
}
