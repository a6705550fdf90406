import { describe, expect, it } from 'vitest';
import type { Envelope, FaultSeam, ReaderFault, TransportFault } from '../../src/actor/fault-seam.ts';
import { defaultRestartRule } from '../../src/actor/supervision/child.ts';
import { channelPair } from './channel-pair.ts';
import { child, placedBy, quiet, startAll, testHost, verdicts, type TestHost } from './test-host.ts';

const placement = placedBy(['far']);

/** Two threads; `near` and `far` record the messages they read. */
async function pair() {
  const read: string[] = [];
  const provoked: string[] = [];
  const note = () => ({
    tell: ({ type }: { type: string }) => void read.push(type),
    ask: ({ type }: { type: string }) => `${type}!`,
  });
  const provoke = (how: string): void => void provoked.push(how);
  const here = testHost({ near: note }, { placement, provoke });
  const there = testHost({ far: note }, { thread: 'there', placement });
  await startAll(here, child('near'));
  await startAll(there, child('far'));
  const [one, other] = channelPair();
  here.host.connect('there', one);
  there.host.connect('here', other);
  return { here, there, read, provoked };
}

/** Does `fault` to the message of this type, once. */
const on = (type: string, at: keyof FaultSeam, fault: TransportFault | ReaderFault): FaultSeam => {
  let left = 1;
  const decide = (place: keyof FaultSeam, { message }: Envelope): 'deliver' | never =>
    (place === at && message.type === type && left-- > 0 ? fault : 'deliver') as 'deliver';
  return {
    onMessage: (envelope) => decide('onMessage', envelope),
    onSend: (envelope) => decide('onSend', envelope),
  };
};

const say = async (host: TestHost, to: string): Promise<void> => {
  for (const command of ['a', 'b', 'c']) host.tell(to, command);
  await quiet();
};

describe('a message of an actor to itself', () => {
  /** An actor that sends `inside` to itself for each `outside`, and records the messages it reads. */
  async function selfish() {
    const read: string[] = [];
    const host = testHost({
      near: (context) => ({
        tell: ({ type }) => {
          read.push(`${type} ${context.restarted ? 'again' : ''}`.trim());
          if (type === 'outside') context.self.tell({ type: 'inside' });
          if (type === 'boom') throw new Error('boom');
        },
      }),
    });
    await startAll(host, child('near'));
    return { host, read };
  }

  it('is sent again when it was lost', async () => {
    const { host, read } = await selfish();
    host.host.setFaults(on('inside', 'onMessage', { type: 'drop' }));
    host.tell('near', 'outside');
    await quiet();
    expect(read).toEqual(['outside']);
    host.clock.advance(2_500);
    await quiet();
    expect(read).toEqual(['outside', 'inside']);
    host.clock.advance(60_000);
    await quiet();
    expect(read).toEqual(['outside', 'inside']);
  });

  it.each([
    { how: 'repeated', fault: { type: 'duplicate', times: 2 } },
    { how: 'late, and sent again before it arrived', fault: { type: 'delay', delayMs: 9_000 } },
  ] as const)('is read once when it was $how', async ({ fault }) => {
    const { host, read } = await selfish();
    host.host.setFaults(on('inside', 'onMessage', fault));
    host.tell('near', 'outside');
    await quiet();
    host.clock.advance(3_000);
    await quiet();
    host.clock.advance(60_000);
    await quiet();
    expect(read).toEqual(['outside', 'inside']);
  });

  it('is read once when it arrives late beside its repetition in the mailbox', async () => {
    const read: string[] = [];
    const near: Parameters<typeof testHost>[0][string] = (context) => ({
      tell: ({ type }) => {
        read.push(type);
        if (type === 'outside') context.self.tell({ type: 'inside' });
      },
    });
    const host = testHost({ near }, { mailbox: { capacity: 100, coalesce: ({ type }) => type } });
    await startAll(host, child('near'));
    // Late by the time until its repetition: both arrive at the same instant, with the same key.
    host.host.setFaults(on('inside', 'onMessage', { type: 'delay', delayMs: 2_000 }));
    host.tell('near', 'outside');
    await quiet();
    host.clock.advance(60_000);
    await quiet();
    expect(read).toEqual(['outside', 'inside']);
  });

  it('is not read by a later incarnation', async () => {
    const { host, read } = await selfish();
    host.host.setFaults(on('inside', 'onMessage', { type: 'delay', delayMs: 500 }));
    host.tell('near', 'outside');
    host.tell('near', 'boom');
    await quiet();
    host.clock.advance(5_000);
    host.tell('near', 'after');
    await quiet();
    expect(read).toEqual(['outside', 'boom', 'after again']);
  });
});

describe.each([
  { at: 'onMessage', to: 'near' },
  { at: 'onSend', to: 'far' },
] as const)('a fault plan ($at)', ({ at, to }) => {
  it('drops a tell, which is counted', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('b', at, { type: 'drop' }));
    await say(here, to);
    expect(read).toEqual(['a', 'c']);
    expect(here.host.figures().deadLettersByKind).toEqual({ [to]: 1 });
  });

  it('drops a question, which ends as lost some seconds later', async () => {
    const { here, there } = await pair();
    here.host.setFaults(on('q', at, { type: 'drop' }));
    there.host.setFaults(undefined);
    const asked = here.ask(to, 'q', 60_000);
    await quiet();
    here.clock.advance(4_200);
    await quiet();
    await expect(asked).resolves.toBe('question-lost');
  });

  it('drops a question, which ends at its deadline', async () => {
    const { here } = await pair();
    here.host.setFaults(on('q', at, { type: 'drop' }));
    const asked = here.ask(to, 'q', 100);
    await quiet();
    here.clock.advance(100);
    await expect(asked).resolves.toBe('deadline-exceeded');
  });

  it('refuses a question with the fault of its choice', async () => {
    const { here } = await pair();
    here.host.setFaults(on('q', at, { type: 'refuse', code: 'overloaded', detail: 'on purpose' }));
    await expect(here.ask(to, 'q')).resolves.toBe('overloaded');
  });

  it('delays', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('a', at, { type: 'delay', delayMs: 100 }));
    await say(here, to);
    expect(read).toEqual(['b', 'c']);
    here.clock.advance(100);
    await quiet();
    expect(read).toEqual(['b', 'c', 'a']);
  });

  it('duplicates, and a question duplicated is answered once', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('b', at, { type: 'duplicate', times: 2 }));
    await say(here, to);
    expect(read).toEqual(['a', 'b', 'b', 'b', 'c']);
    here.host.setFaults(on('q', at, { type: 'duplicate', times: 1 }));
    await expect(here.ask(to, 'q')).resolves.toBe('q!');
  });

  it('reorders, and delivers after a while if no message overtakes', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('a', at, { type: 'reorder', atMostMs: 50 }));
    await say(here, to);
    expect(read).toEqual(['b', 'a', 'c']);
    here.host.setFaults(on('alone', at, { type: 'reorder', atMostMs: 50 }));
    here.tell(to, 'alone');
    await quiet();
    here.clock.advance(50);
    await quiet();
    expect(read.at(-1)).toBe('alone');
  });

  it('ends when it is removed', async () => {
    const { here, read } = await pair();
    here.host.setFaults({ onMessage: () => ({ type: 'drop' }), onSend: () => ({ type: 'drop' }) });
    here.host.setFaults(undefined);
    await say(here, to);
    expect(read).toEqual(['a', 'b', 'c']);
  });
});

describe('a fault plan can make', () => {
  it('the actor crash as it reads', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('b', 'onMessage', { type: 'throw', reason: 'on purpose' }));
    await say(here, 'near');
    expect(read).toEqual(['a', 'c']);
    expect(verdicts(here)).toEqual(['restart']);
    expect(here.reports[0]?.reason).toContain('on purpose');
  });

  it('the actor read nothing for a time', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('b', 'onMessage', { type: 'stall', forMs: 1_000 }));
    await say(here, 'near');
    expect(read).toEqual([]);
    here.clock.advance(1_000);
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('the actor read nothing until its incarnation ends', async () => {
    const { here, read } = await pair();
    here.host.setFaults(on('a', 'onMessage', { type: 'stall' }));
    await say(here, 'near');
    here.clock.advance(1e6);
    expect(read).toEqual([]);
    here.host.crashActor('near', new Error('enough'));
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  describe('the actor read nothing for a time that begins', () => {
    const lone = () => {
      const read: string[] = [];
      return { read, here: testHost({ near: () => ({ tell: ({ type }) => void read.push(type) }) }) };
    };

    /** The messages read within ten seconds, and afterwards. */
    async function readBeforeAndAfter(here: TestHost, read: readonly string[]) {
      here.host.setFaults(on('a', 'onMessage', { type: 'stall', forMs: 10_000 }));
      for (const command of ['a', 'b', 'c']) here.tell('near', command);
      await quiet();
      here.clock.advance(9_999);
      await quiet();
      const before = [...read];
      here.clock.advance(1);
      await quiet();
      return { before, after: read };
    }

    it('before it is started', async () => {
      const { here, read } = lone();
      // A sender starts an actor and sends it a message in the same turn.
      void here.host.startActor(child('near'));
      expect(await readBeforeAndAfter(here, read)).toEqual({ before: [], after: ['a', 'b', 'c'] });
    });

    it('while it waits for its restart', async () => {
      const { here, read } = lone();
      await startAll(
        here,
        child('near', {
          restart: { ...defaultRestartRule, budget: { atMost: 0, withinMs: 60_000 }, whenSpent: 'keep-trying' },
        }),
      );
      here.host.crashActor('near', new Error('enough'));
      expect(await readBeforeAndAfter(here, read)).toEqual({ before: [], after: ['a', 'b', 'c'] });
    });
  });

  it('the actor read nothing until the last of several reasons is over', async () => {
    const { here, read } = await pair();
    for (const [type, forMs] of [
      ['a', 3_000],
      ['b', 1_000],
      ['c', 2_000],
    ] as const) {
      here.host.setFaults(on(type, 'onMessage', { type: 'stall', forMs }));
      here.tell('near', type);
    }
    here.clock.advance(2_999);
    await quiet();
    expect(read).toEqual([]);
    here.clock.advance(1);
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { type: 'delay', delayMs: 1_000, read: ['b', 'c', 'a'] },
    { type: 'reorder', atMostMs: 1_000, read: ['b', 'a', 'c'] },
    { type: 'stall', read: ['a', 'b', 'c'] },
  ] as const)('no message wait any longer once the fault is removed: $type', async ({ read: inOrder, ...fault }) => {
    const { here, read } = await pair();
    const releases = new Set<() => void>();
    const lift = {
      add: (release: () => void) => {
        releases.add(release);
        return () => void releases.delete(release);
      },
    };
    here.host.setFaults(on('a', 'onMessage', { ...fault, lift }));
    await say(here, 'near');
    for (const release of releases) release();
    await quiet();
    expect(read).toEqual(inOrder);
    expect(releases.size).toBe(0);
  });

  it.each(['exit', 'hang', 'wait', 'reject', 'exhaust-heap', 'exhaust-buffers'] as const)(
    'the thread fail: %s',
    async (type) => {
      const { here, provoked } = await pair();
      here.host.setFaults(on('a', 'onMessage', { type }));
      await say(here, 'near');
      expect(provoked).toEqual([type]);
    },
  );

  it('decisions by sender, receiver and thread', async () => {
    const { here } = await pair();
    const seen: Envelope[] = [];
    const see = (envelope: Envelope): 'deliver' => {
      seen.push({ ...envelope });
      return 'deliver';
    };
    here.host.setFaults({ onMessage: see, onSend: see });
    here.tell('near', 'a');
    void here.ask('far', 'q');
    expect(seen).toEqual([
      { thread: 'here', from: '', to: 'near', message: { type: 'a' }, question: false },
      { thread: 'here', from: '', to: 'far', message: { type: 'q' }, question: true },
    ]);
  });
});
