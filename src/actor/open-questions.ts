import type { ReplyTo } from './mailbox.ts';

/** Questions that an incarnation has read and not yet answered. */
export class OpenQuestions {
  readonly #open = new Set<ReplyTo>();

  add(reply: ReplyTo): void {
    this.#open.add(reply);
  }

  /** Once: an actor that finishes while it answers has settled the question already. */
  answer(reply: ReplyTo, value: unknown): void {
    if (this.#open.delete(reply)) reply.answer(value);
  }

  allEnd(why: string): void {
    for (const reply of this.#open) reply.fault('callee-ended', why);
    this.#open.clear();
  }
}
