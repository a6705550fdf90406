import type { ReplyTo } from './mailbox.ts';

/** The questions that an incarnation has read and not answered yet. Made with the first: most actors are never asked. */
export class OpenQuestions {
  readonly #open = new Set<ReplyTo>();

  /** Reads one: `read` gives its answer, or a promise of it. What it throws leaves the question open, to be ended with all. */
  read(reply: ReplyTo, read: () => unknown, failed: (reason: unknown) => void): void {
    const open = this.#open;
    // Open before it is read: a throw while reading it settles it too.
    open.add(reply);
    const answer = read();
    if (!(answer instanceof Promise)) {
      // An actor that finishes while it answers has settled the question already.
      if (open.delete(reply)) reply.answer(answer);
      return;
    }
    answer.then((value) => (open.delete(reply) ? reply.answer(value) : undefined), failed);
  }

  /** None of them will be answered any more. */
  end(why: string): void {
    for (const reply of this.#open) reply.fault('callee-ended', why);
    this.#open.clear();
  }
}
