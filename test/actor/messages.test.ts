import { addressOf } from '../../src/actor/messages/message.ts';
import { describe, expect, it } from 'vitest';
import { Transferring } from '../../src/actor/messages/message.ts';
import { child, quiet, startAll, testHost, type MakeTestActor } from './test-host.ts';

describe('a message to an actor', () => {
  it('is read in the order of sending', async () => {
    const read: string[] = [];
    const it = testHost({ reader: () => ({ tell: ({ type }) => void read.push(type) }) });
    await startAll(it, child('reader'));
    for (const command of ['a', 'b', 'c']) it.tell('reader', command);
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it("is not read within the sender's call", async () => {
    const read: string[] = [];
    const it = testHost({ reader: () => ({ tell: ({ type }) => void read.push(type) }) });
    await startAll(it, child('reader'));
    it.tell('reader', 'a');
    expect(read).toEqual([]);
  });

  it('waits until the actor is started, once it has its address', async () => {
    const read: string[] = [];
    const it = testHost({ reader: () => ({ tell: ({ type }) => void read.push(type) }) });
    it.host.register(child('reader'));
    it.tell('reader', 'early');
    await quiet();
    expect(read).toEqual([]);
    await startAll(it, child('reader'));
    await quiet();
    expect(read).toEqual(['early']);
  });

  it('waits while the actor is still starting', async () => {
    const read: string[] = [];
    const ready = Promise.withResolvers<void>();
    const it = testHost({ reader: () => ({ start: () => ready.promise, tell: ({ type }) => void read.push(type) }) });
    const started = startAll(it, child('reader'));
    it.tell('reader', 'early');
    await quiet();
    expect(read).toEqual([]);
    ready.resolve();
    await started;
    await quiet();
    expect(read).toEqual(['early']);
  });

  it('is counted as a dead letter without an actor at the address', () => {
    const it = testHost({});
    it.tell('nobody', 'a');
    expect(it.host.figures().deadLetters).toBe(1);
  });

  it('is counted as a dead letter when the mailbox is full', async () => {
    const it = testHost({ reader: () => ({}) }, { mailbox: { capacity: 2 } });
    await startAll(it, child('reader'));
    for (const command of ['a', 'b', 'c']) it.tell('reader', command);
    expect(it.host.figures()).toMatchObject({ deadLetters: 1, actors: { reader: { depth: 2 } } });
  });

  it('may be sent by the actor to itself repeatedly, while other actors have their turn', async () => {
    const read: string[] = [];
    let rounds = 0;
    const it = testHost({
      restless: ({ self }) => ({
        tell() {
          if (++rounds < 1_000) self.tell({ type: 'again' });
        },
      }),
      calm: () => ({ tell: () => void read.push(`after ${rounds}`) }),
    });
    await startAll(it, child('restless'), child('calm'));
    it.tell('restless', 'again');
    it.tell('calm', 'a');
    await quiet();
    // Or earlier, when the machine is so slow that the time of a turn is up before.
    expect(read).toEqual([expect.stringMatching(/^after ([1-5]?\d|6[0-4])$/)]);
    expect(rounds).toBe(1_000);
  });

  it('visits an actor that sends to itself no more often than others', async () => {
    const visits: string[] = [];
    const restless: MakeTestActor = ({ self, address }) => {
      let rounds = 0;
      return {
        tell() {
          if (rounds++ % 64 === 0) visits.push(address);
          if (rounds < 64 * 4) self.tell({ type: 'again' });
        },
      };
    };
    const it = testHost({ restless });
    await startAll(it, child('restless/1'), child('restless/2'));
    for (const to of ['restless/1', 'restless/2']) it.tell(to, 'again');
    await quiet();
    expect(visits).toEqual(Array.from({ length: 4 }, () => ['restless/1', 'restless/2']).flat());
  });
});

describe('a question to an actor', () => {
  it('gets its answer', async () => {
    const it = testHost({ adder: () => ({ ask: ({ type }) => `${type}!` }) });
    await startAll(it, child('adder'));
    await expect(it.ask('adder', 'hello')).resolves.toBe('hello!');
  });

  it('may be answered later, while the actor reads other messages', async () => {
    const slow = Promise.withResolvers<string>();
    const it = testHost({ slow: () => ({ ask: ({ type }) => (type === 'slow' ? slow.promise : 'quick') }) });
    await startAll(it, child('slow'));
    const first = it.ask('slow', 'slow');
    await expect(it.ask('slow', 'quick')).resolves.toBe('quick');
    slow.resolve('at last');
    await expect(first).resolves.toBe('at last');
  });

  it('is read in order with other messages', async () => {
    const read: string[] = [];
    const it = testHost({
      reader: () => ({ tell: ({ type }) => void read.push(type), ask: ({ type }) => void read.push(type) }),
    });
    await startAll(it, child('reader'));
    it.tell('reader', 'a');
    const asked = it.ask('reader', 'b');
    it.tell('reader', 'c');
    await asked;
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('ends with deadline-exceeded without an answer in time', async () => {
    const it = testHost({ mute: () => ({ ask: () => new Promise(() => {}) }) });
    await startAll(it, child('mute'));
    const asked = it.ask('mute', 'question', 500);
    await quiet();
    it.clock.advance(600);
    await expect(asked).resolves.toBe('deadline-exceeded');
    expect(it.host.figures().pendingAsks).toBe(0);
  });

  it('ends with no-such-actor without an actor at the address', async () => {
    await expect(testHost({}).ask('nobody')).resolves.toBe('no-such-actor');
  });

  it('ends with overloaded when the mailbox is full', async () => {
    const it = testHost({ reader: () => ({ ask: () => 'fine' }) }, { mailbox: { capacity: 1 } });
    await startAll(it, child('reader'));
    const [first, second] = [it.ask('reader'), it.ask('reader')];
    await expect(second).resolves.toBe('overloaded');
    await expect(first).resolves.toBe('fine');
  });

  it('gets the plain value of an answer with transferred buffers', async () => {
    const buffer = new ArrayBuffer(8);
    const it = testHost({ bytes: () => ({ ask: () => new Transferring({ buffer }, [buffer]) }) });
    await startAll(it, child('bytes'));
    await expect(it.ask('bytes')).resolves.toEqual({ buffer });
  });
});

describe('an actor', () => {
  it('gets its address, its init data, and that it is not a restart', async () => {
    const seen: unknown[] = [];
    const it = testHost({
      pod: ({ address, restarted }, init) => {
        seen.push(address, restarted, init);
        return {};
      },
    });
    await startAll(it, child('pod/1', { init: { uid: 1 } }));
    expect(seen).toEqual(['pod/1', false, { uid: 1 }]);
  });

  it('that is started twice runs once', async () => {
    let lives = 0;
    const it = testHost({ pod: () => ({ start: () => void lives++ }) });
    await startAll(it, child('pod/1'), child('pod/1'));
    expect(lives).toBe(1);
  });

  it('of an unregistered kind cannot be started', async () => {
    await expect(testHost({}).host.startActor(child('pod/1'))).rejects.toThrow('no actor kind is registered for pod/1');
  });

  it('asks and tells others by their address', async () => {
    const it = testHost({
      asker: (context) => ({ ask: () => context.ref(addressOf('answerer')).ask({ type: 'why' }, { deadlineMs: 100 }) }),
      answerer: () => ({ ask: ({ type }) => `because of ${type}` }),
    });
    await startAll(it, child('asker'), child('answerer'));
    await expect(it.ask('asker')).resolves.toBe('because of why');
  });
});
