import { MessageChannel } from 'node:worker_threads';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Link, portChannel, type Batch } from '../../../src/actor/messages/link.ts';
import { FRAME_ANSWER, FRAME_ASK, FRAME_TELL, type Frame } from '../../../src/actor/messages/message.ts';
import { channelPair } from '../channel-pair.ts';
import { HandDrivenTurns } from '../hand-driven-turns.ts';

const tell = (n: number): Frame => [FRAME_TELL, 'pleg', { type: `n${n}` }, ''];
const CREDITS = 8192;

function oneLink(turns: HandDrivenTurns) {
  const got: Frame[] = [];
  const unsendable: Frame[] = [];
  const link = new Link({
    later: (turn) => turns.later(turn),
    deliver: (frame) => got.push(frame),
    unsendable: (frame) => unsendable.push(frame),
  });
  return { link, got, unsendable };
}

/** Two links joined by a channel. `fromAfar` holds the batches under way. */
function joined() {
  const turns = new HandDrivenTurns();
  const underWay: (() => void)[] = [];
  const [here, there] = channelPair((turn) => underWay.push(turn));
  const near = oneLink(turns);
  const far = oneLink(turns);
  near.link.attach(here);
  far.link.attach(there);
  const arrive = (): void => {
    for (const turn of underWay.splice(0)) turn();
  };
  /** Until nothing moves any more. */
  const settle = (): void => {
    while (!turns.idle || underWay.length > 0) {
      turns.runLater();
      arrive();
    }
  };
  return { turns, here, there, near, far, arrive, settle };
}

describe('a link', () => {
  it('carries the frames of one turn in one batch, in order', () => {
    const { turns, here, near, far, settle } = joined();
    for (const n of [1, 2, 3]) near.link.send(tell(n));
    turns.runLater();
    expect(here.posted).toHaveLength(1);
    settle();
    expect(far.got).toEqual([tell(1), tell(2), tell(3)]);
  });

  it('carries urgent frames before all others, also when it is out of credits', () => {
    const { turns, near, far, arrive } = joined();
    for (let n = 0; n < 2 * CREDITS; n++) near.link.send(tell(n));
    turns.runLater();
    near.link.send(tell(-1), [], 'urgent');
    turns.runLater();
    arrive();
    expect(far.got).toHaveLength(CREDITS + 1);
    expect(far.got.at(-1)).toEqual(tell(-1));
  });

  it('sends nothing when it has no frames', () => {
    const { here, there, near, settle } = joined();
    near.link.send(tell(1));
    settle();
    expect([here.posted.length, there.posted.length]).toEqual([1, 0]);
  });

  it('has no more unread frames under way than the credits of the other side', () => {
    const { turns, here, near } = joined();
    for (let n = 0; n < CREDITS + 500; n++) near.link.send(tell(n));
    for (let turn = 0; turn < 5; turn++) turns.runLater();
    expect(here.posted.reduce((sum, [, frames]) => sum + frames.length, 0)).toBe(CREDITS);
  });

  it('continues when the other side has read', () => {
    const { near, far, settle } = joined();
    for (let n = 0; n < 3 * CREDITS; n++) near.link.send(tell(n));
    settle();
    expect(far.got).toHaveLength(3 * CREDITS);
    expect(far.got.at(-1)).toEqual(tell(3 * CREDITS - 1));
  });

  it('rejects frames beyond its queue, and accepts again later', () => {
    const { near, settle } = joined();
    let accepted = 0;
    while (near.link.send(tell(accepted))) accepted++;
    expect(accepted).toBe(65_536);
    settle();
    expect(near.link.send(tell(accepted))).toBe(true);
  });

  it('moves buffers instead of copying them', () => {
    const { near, far, settle } = joined();
    const buffer = new ArrayBuffer(8);
    near.link.send([FRAME_ANSWER, 1, buffer], [buffer]);
    settle();
    expect(buffer.detached).toBe(true);
    expect(far.got).toEqual([[FRAME_ANSWER, 1, new ArrayBuffer(8)]]);
  });

  it('does not move a buffer before the frame that holds it', () => {
    const { near, far, settle } = joined();
    for (let n = 0; n < CREDITS; n++) near.link.send(tell(n));
    const buffer = new Uint8Array([1, 2, 3]).buffer;
    near.link.send([FRAME_ANSWER, 1, buffer], [buffer]);
    settle();
    expect(far.got.at(-1)).toEqual([FRAME_ANSWER, 1, new Uint8Array([1, 2, 3]).buffer]);
  });

  it('drops and reports a frame that cannot be copied, and carries its neighbours', () => {
    const { near, far, settle } = joined();
    const bad: Frame = [FRAME_ASK, 'pleg', Object.assign(() => {}, { type: 'a function' }), '', undefined, 7];
    near.link.send(tell(1));
    near.link.send(bad);
    near.link.send(tell(2));
    settle();
    expect(far.got).toEqual([tell(1), tell(2)]);
    expect(near.unsendable).toEqual([bad]);
  });

  it('loses or repeats no frame, for any sequence of sends', () => {
    const step = fc.oneof(
      fc.record({ from: fc.constantFrom('near' as const, 'far' as const), frames: fc.integer({ min: 1, max: 6_000 }) }),
      fc.constantFrom('turn' as const, 'arrive' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const { turns, near, far, arrive, settle } = joined();
        const sent = { near: 0, far: 0 };
        for (const each of steps) {
          if (each === 'turn') turns.runLater();
          else if (each === 'arrive') arrive();
          else {
            const { link } = each.from === 'near' ? near : far;
            for (let n = 0; n < each.frames; n++) if (link.send(tell(sent[each.from]))) sent[each.from]++;
          }
        }
        settle();
        expect(far.got.map((frame) => frame[2])).toEqual(
          Array.from({ length: sent.near }, (_, n) => ({ type: `n${n}` })),
        );
        expect(near.got).toHaveLength(sent.far);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a link whose other thread has ended', () => {
  it('keeps tells for the successor', () => {
    const { turns, near } = joined();
    near.link.detach();
    near.link.send(tell(1));
    turns.runLater();
    const [here, there] = channelPair((turn) => turns.later(turn));
    const successor = oneLink(turns);
    successor.link.attach(there);
    near.link.attach(here);
    for (let turn = 0; turn < 3; turn++) turns.runLater();
    expect(successor.got).toEqual([tell(1)]);
  });

  it('drops frames that are meaningless to the successor', () => {
    const { turns, near } = joined();
    near.link.detach();
    near.link.send(tell(1));
    near.link.send([FRAME_ASK, 'pleg', { type: 'question' }, '', undefined, 7]);
    near.link.dropWaiting((frame) => frame[0] !== FRAME_TELL);
    const [here] = channelPair();
    near.link.attach(here);
    turns.runLater();
    expect(here.posted).toEqual([[0, [tell(1)]]]);
  });

  it('gives the successor full credit', () => {
    const { turns, near } = joined();
    for (let n = 0; n < CREDITS + 10; n++) near.link.send(tell(n));
    turns.runLater();
    near.link.detach();
    for (let n = 0; n < CREDITS; n++) near.link.send(tell(n));
    const [here] = channelPair();
    near.link.attach(here);
    turns.runLater();
    expect(here.posted[0]?.[1]).toHaveLength(CREDITS);
  });

  it('closes its channel, and ignores later batches', () => {
    const { turns, here, near, far, arrive } = joined();
    far.link.send(tell(1));
    turns.runLater();
    near.link.detach();
    arrive();
    expect(here.closed).toBe(true);
    expect(near.got).toEqual([]);
  });
});

/** A value so deep that a thread can write but not read it. */
function deepFrame(): Frame {
  let value: object = {};
  for (let level = 0; level < 2_900; level++) value = { a: value };
  return [FRAME_ASK, 'pleg', Object.assign(value, { type: 'deep' }), '', undefined, 7];
}

describe('a frame that the other thread cannot read', () => {
  /** Two links over a real port, driven by the event loop. */
  function overPort(credits = CREDITS) {
    const { port1, port2 } = new MessageChannel();
    const later = (turn: () => void): void => void setImmediate(turn);
    const [near, far] = [port1, port2].map((port) => {
      const got: Frame[] = [];
      const unsendable: Frame[] = [];
      const link = new Link({
        credits,
        later,
        deliver: (frame) => got.push(frame),
        unsendable: (frame) => unsendable.push(frame),
      });
      link.attach(portChannel(port));
      return { link, got, unsendable };
    });
    if (near === undefined || far === undefined) throw new Error('there are two');
    /** Compares by itself: to print frames as deep as these takes minutes. */
    const until = (holds: () => boolean): Promise<void> =>
      vi.waitFor(() => expect(holds()).toBe(true), { interval: 1, timeout: 10_000 });
    return { near, far, until, close: () => near.link.detach() };
  }

  it('is given back to its sender, and its neighbours arrive', async () => {
    const { near, far, until, close } = overPort();
    const bad = deepFrame();
    for (const frame of [tell(1), bad, tell(2)]) near.link.send(frame);
    await until(() => near.unsendable[0] === bad && far.got.length === 2);
    expect(far.got).toEqual([tell(1), tell(2)]);
    near.link.send(tell(3));
    await until(() => far.got.length === 3);
    expect(near.unsendable.length).toBe(1);
    close();
  });

  it('loses no credits, in either direction', async () => {
    const credits = 32;
    const { near, far, until, close } = overPort(credits);
    // Loses more frames than there are credits, and as many credits with lost batches of the other direction.
    const rounds = 2 * credits;
    for (let round = 1; round <= rounds; round++) {
      near.link.send(deepFrame());
      near.link.send(tell(round));
      for (let n = 0; n < 10; n++) far.link.send(tell(n));
      await until(() => near.unsendable.length === round && far.got.length === round);
    }
    for (let n = 0; n < 1_000; n++) for (const { link } of [near, far]) link.send(tell(n));
    await until(() => far.got.length === rounds + 1_000 && near.got.length === rounds * 10 + 1_000);
    expect([near.got.at(-1), far.got.at(-1)]).toEqual([tell(999), tell(999)]);
    close();
  });
});

describe('a channel over a message port', () => {
  it('delivers the readable frames that have arrived, before it closes', () => {
    const { port1, port2 } = new MessageChannel();
    const got: Batch[] = [];
    const channel = portChannel(port1);
    channel.onBatch(
      (batch) => got.push(batch),
      () => {},
    );
    for (const frame of [tell(1), deepFrame(), tell(2)]) port2.postMessage([0, [frame]]);
    channel.close();
    expect(got).toEqual([
      [0, [tell(1)]],
      [0, [tell(2)]],
    ]);
  });

  it('delivers frames that arrived unread, before it closes', () => {
    const { port1, port2 } = new MessageChannel();
    const got: Batch[] = [];
    const channel = portChannel(port1);
    channel.onBatch(
      (batch) => got.push(batch),
      () => {},
    );
    port2.postMessage([0, [tell(1)]]);
    channel.close();
    expect(got).toEqual([[0, [tell(1)]]]);
  });
});
