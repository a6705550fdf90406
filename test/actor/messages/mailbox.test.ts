import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mailOf as mail, Mailbox, type Mail, type ReplyTo } from '../../../src/actor/messages/mailbox.ts';
import type { Tagged } from '../../../src/actor/messages/message.ts';

interface Note extends Tagged {
  readonly pod: string;
  readonly version: number;
}
const note = (pod: string, version: number): Note => ({ type: 'note', pod, version });
const byPod = (command: Tagged): string | undefined => ('pod' in command ? String(command.pod) : undefined);
const mailOf = (message: Tagged, reply?: ReplyTo): Mail => mail(message, 'sender', reply);
const nobody: ReplyTo = { answer() {}, fault() {} };

function drain(mailbox: Mailbox): Tagged[] {
  const read: Tagged[] = [];
  for (let mail = mailbox.take(); mail !== undefined; mail = mailbox.take()) read.push(mail.message);
  return read;
}

describe('a mailbox', () => {
  it('is read in the order it was written', () => {
    const mailbox = new Mailbox({ capacity: 8 });
    for (const version of [1, 2, 3]) mailbox.offer(mailOf(note('a', version)));
    expect(drain(mailbox)).toEqual([note('a', 1), note('a', 2), note('a', 3)]);
  });

  it('rejects messages beyond its capacity, and accepts again once messages were read', () => {
    const mailbox = new Mailbox({ capacity: 2 });
    expect([1, 2, 3].map((version) => mailbox.offer(mailOf(note('a', version))))).toEqual([true, true, false]);
    mailbox.take();
    expect(mailbox.offer(mailOf(note('a', 4)))).toBe(true);
    expect(drain(mailbox)).toEqual([note('a', 2), note('a', 4)]);
  });

  it("keeps the latest of a key, in the oldest's place", () => {
    const mailbox = new Mailbox({ capacity: 8, coalesce: byPod });
    for (const each of [note('a', 1), note('b', 1), note('a', 2)]) mailbox.offer(mailOf(each));
    expect(drain(mailbox)).toEqual([note('a', 2), note('b', 1)]);
  });

  it('replaces a waiting command even when it is full', () => {
    const mailbox = new Mailbox({ capacity: 1, coalesce: byPod });
    mailbox.offer(mailOf(note('a', 1)));
    expect(mailbox.offer(mailOf(note('a', 2)))).toBe(true);
    expect(drain(mailbox)).toEqual([note('a', 2)]);
  });

  it('does not touch a command that has been read already', () => {
    const mailbox = new Mailbox({ capacity: 8, coalesce: byPod });
    mailbox.offer(mailOf(note('a', 1)));
    const read = mailbox.take();
    mailbox.offer(mailOf(note('a', 2)));
    expect(read?.message).toEqual(note('a', 1));
    expect(drain(mailbox)).toEqual([note('a', 2)]);
  });

  it('never coalesces a question, since each has a waiting caller', () => {
    const mailbox = new Mailbox({ capacity: 8, coalesce: byPod });
    mailbox.offer(mailOf(note('a', 1), nobody));
    mailbox.offer(mailOf(note('a', 2), nobody));
    expect(drain(mailbox)).toHaveLength(2);
  });

  it('keeps its order and its bound through any offers and takes', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }) }) },
      { weight: 2, arbitrary: fc.constant('take' as const) },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
        const mailbox = new Mailbox({ capacity, coalesce: byPod });
        const model: Tagged[] = [];
        let version = 0;
        const takeBoth = (): void => expect(mailbox.take()?.message).toEqual(model.shift());
        const offerBoth = (key: string | undefined): void => {
          const command = key === undefined ? { type: 'plain', version: ++version } : note(key, ++version);
          const earlier = model.findIndex((waiting) => key !== undefined && byPod(waiting) === key);
          const fits = earlier >= 0 || model.length < capacity;
          if (earlier >= 0) model[earlier] = command;
          else if (fits) model.push(command);
          expect(mailbox.offer(mailOf(command))).toBe(fits);
        };
        for (const each of steps) {
          if (each === 'take') takeBoth();
          else offerBoth(each.key);
          expect(mailbox.depth).toBe(model.length);
          expect(mailbox.depth).toBeLessThanOrEqual(capacity);
        }
        expect(drain(mailbox)).toEqual(model);
      }),
    );
  });

  it('has urgent messages read before all others, in their own order', () => {
    const mailbox = new Mailbox({ capacity: 8 });
    mailbox.offer(mailOf(note('a', 1)));
    mailbox.offer(mailOf(note('a', 2)), 'urgent');
    mailbox.offer(mailOf(note('a', 3)), 'urgent');
    expect(drain(mailbox)).toEqual([note('a', 2), note('a', 3), note('a', 1)]);
  });

  it('accepts urgent messages beyond its capacity, up to a bound', () => {
    const mailbox = new Mailbox({ capacity: 1 });
    mailbox.offer(mailOf(note('a', 1)));
    const taken = Array.from({ length: 5_000 }, (_, version) => mailbox.offer(mailOf(note('a', version)), 'urgent'));
    expect(taken.filter(Boolean)).toHaveLength(1_024);
  });

  it('counts what was replaced', () => {
    const mailbox = new Mailbox({ capacity: 8, coalesce: byPod });
    for (const version of [1, 2, 3]) mailbox.offer(mailOf(note('a', version)));
    expect(mailbox.coalesced).toBe(2);
  });

  it('stays in order over many more messages than it ever holds', () => {
    const mailbox = new Mailbox({ capacity: 5_000 });
    let written = 0;
    let read = 0;
    for (let round = 0; round < 10; round++) {
      for (let count = 0; count < 3_000; count++) mailbox.offer(mailOf(note('a', written++)));
      for (let count = 0; count < 2_900; count++) expect(mailbox.take()?.message).toEqual(note('a', read++));
    }
    expect(mailbox.depth).toBe(written - read);
  });
});
