import { describe, expect, it } from 'vitest';
import type { Tagged } from '../../../src/actor/messages/message.ts';
import { OwnMessages } from '../../../src/actor/messages/own-messages.ts';
import { manualClock } from '../../support/manual-clock.ts';

const SECOND = 1_000;
const tick: Tagged = { type: 'tick' };

/** The messages of an actor to itself, with a mailbox that is always busy or never. */
function told(isBusy: () => boolean) {
  const clock = manualClock();
  const sent: number[] = [];
  const own = new OwnMessages({ clock, isBusy, send: () => void sent.push(clock.monotonic()) });
  const began = clock.monotonic();
  return { own, clock, sentAt: () => sent.map((at) => at - began) };
}

describe('a message of an actor to itself', () => {
  it('is sent again every second while it is not read', () => {
    const { own, clock, sentAt } = told(() => false);
    own.say(tick, undefined);
    clock.advance(4 * SECOND);
    expect(sentAt()).toEqual([0, 2 * SECOND, 3 * SECOND, 4 * SECOND]);
  });

  it('may wait behind others, but not for ever', () => {
    const { own, clock, sentAt } = told(() => true);
    own.say(tick, undefined);
    clock.advance(10 * SECOND);
    expect(sentAt()).toEqual([0]);
    clock.advance(11 * SECOND);
    expect(sentAt()).toEqual([0, 11 * SECOND, 21 * SECOND]);
  });

  it('is read once, for any number of repetitions', () => {
    const { own, clock, sentAt } = told(() => false);
    own.say(tick, undefined);
    clock.advance(3 * SECOND);
    expect([own.hears(tick), own.hears(tick)]).toEqual([true, false]);
    clock.advance(60 * SECOND);
    expect(sentAt()).toHaveLength(3);
  });
});
