import { describe, expect, it } from 'vitest';
import { Transferring } from '../../src/actor/messages/message.ts';
import { channelPair } from './channel-pair.ts';
import { child, placedBy, quiet, startAll, testHost, type MakeTestActor, type TestHost } from './test-host.ts';

const placement = placedBy(['far']);

function hostOf(thread: 'here' | 'there', actors: Record<string, MakeTestActor>, life = 1): TestHost {
  return testHost(actors, { thread, placement, life });
}

function join(one: TestHost, other: TestHost): void {
  const [near, far] = channelPair();
  one.host.connect(other.host.thread, near);
  other.host.connect(one.host.thread, far);
}

/** An actor `far` on another thread, joined to this thread. */
async function joined(far: MakeTestActor) {
  const here = hostOf('here', { near: () => ({}) });
  const there = hostOf('there', { far });
  await startAll(there, child('far'));
  join(here, there);
  return { here, there };
}

describe('an actor on another thread', () => {
  it('reads messages in order', async () => {
    const read: string[] = [];
    const { here } = await joined(() => ({ tell: ({ type }) => void read.push(type) }));
    for (const command of ['a', 'b', 'c']) here.tell('far', command);
    await quiet();
    expect(read).toEqual(['a', 'b', 'c']);
  });

  it('gets a copy of the message', async () => {
    const read: unknown[] = [];
    const { here } = await joined(() => ({ tell: (command) => void read.push(command) }));
    const command = { type: 'a', list: [1, 2] };
    here.host.tell('far', command);
    await quiet();
    expect(read[0]).toEqual(command);
    expect(read[0]).not.toBe(command);
  });

  it('answers questions', async () => {
    const { here } = await joined(() => ({ ask: ({ type }) => Promise.resolve(`${type}!`) }));
    await expect(here.ask('far', 'hello')).resolves.toBe('hello!');
  });

  it('may move buffers with its answer', async () => {
    const buffer = new Uint8Array([1, 2, 3]).buffer;
    const { here } = await joined(() => ({ ask: () => new Transferring({ buffer }, [buffer]) }));
    await expect(here.ask('far')).resolves.toEqual({ buffer: new Uint8Array([1, 2, 3]).buffer });
    expect(buffer.detached).toBe(true);
  });

  it('fails questions when it does not exist', async () => {
    const { here } = await joined(() => ({}));
    await expect(here.ask('far/2')).resolves.toBe('no-such-actor');
  });

  it('settles the open questions of others when it crashes', async () => {
    const { here, there } = await joined(() => ({ ask: () => new Promise(() => {}) }));
    const asked = here.ask('far');
    await quiet();
    there.host.crashActor('far', new Error('injected'));
    await expect(asked).resolves.toBe('callee-ended');
  });

  it('can be started by a message to the host there', async () => {
    const { here, there } = await joined(() => ({ ask: () => 'I live' }));
    here.host.tell('host/there', { type: 'start-actor', spec: child('far/2') } as never);
    await expect(here.ask('far/2')).resolves.toBe('I live');
    expect(there.host.addresses('far')).toEqual(['far', 'far/2']);
  });

  it.each([
    { says: 'a question', ask: (here: TestHost) => here.host.ask('far', { type: 'q', not: () => {} } as never, 1_000) },
    { says: 'an answer', ask: (here: TestHost) => here.host.ask('far', { type: 'function please' }, 1_000) },
  ])('rejects only $says that is not plain data, and ends no thread', async ({ ask }) => {
    const { here } = await joined(() => ({ ask: ({ type }) => (type === 'function please' ? () => {} : 'fine') }));
    const bad = ask(here);
    const good = here.ask('far');
    await expect(bad).rejects.toMatchObject({ code: 'not-plain-data' });
    await expect(good).resolves.toBe('fine');
  });
});

describe('when the other thread ends', () => {
  it('settles the questions to it at once, read or not, and no questions to others', async () => {
    const { here } = await joined(() => ({ ask: () => new Promise(() => {}) }));
    const read = here.ask('far');
    await quiet();
    const unsent = here.ask('far');
    const local = here.ask('near');
    here.host.disconnect('there');
    await expect(Promise.all([read, unsent])).resolves.toEqual(['thread-ended', 'thread-ended']);
    await expect(local).resolves.toBe('no-such-actor');
  });

  it('keeps messages sent during the outage for its successor', async () => {
    const read: string[] = [];
    const { here } = await joined(() => ({}));
    here.host.disconnect('there');
    here.tell('far', 'a');
    await quiet();
    const successor = hostOf('there', { far: () => ({ tell: ({ type }) => void read.push(type) }) }, 2);
    await startAll(successor, child('far'));
    join(here, successor);
    here.tell('far', 'b');
    await quiet();
    expect(read).toEqual(['a', 'b']);
  });

  it('keeps questions sent during the outage for its successor, or until their deadline', async () => {
    const { here } = await joined(() => ({}));
    here.host.disconnect('there');
    const patient = here.ask('far', 'q', 10_000);
    const hasty = here.ask('far', 'q', 100);
    await quiet();
    here.clock.advance(200);
    await expect(hasty).resolves.toBe('deadline-exceeded');
    const successor = hostOf('there', { far: () => ({ ask: () => 'by the successor' }) }, 2);
    await startAll(successor, child('far'));
    join(here, successor);
    await expect(patient).resolves.toBe('by the successor');
  });

  it('does not answer questions of a later incarnation', async () => {
    const slow = Promise.withResolvers<string>();
    const there = hostOf('there', {
      far: () => ({ ask: ({ type }) => (type === 'slow' ? slow.promise : new Promise(() => {})) }),
    });
    await startAll(there, child('far'));
    const firstLife = hostOf('here', {});
    join(firstLife, there);
    void firstLife.ask('far', 'slow');
    await quiet();
    const secondLife = hostOf('here', {}, 2);
    there.host.disconnect('here');
    join(secondLife, there);
    let answer: unknown;
    void secondLife.ask('far', 'other').then((value) => (answer = value));
    slow.resolve('for the first life');
    await quiet();
    expect(answer).toBeUndefined();
  });

  it('notifies listeners at each restart', async () => {
    const heard: string[] = [];
    const here = hostOf('here', {
      near: (context) => ({ start: () => context.onThreadUp((thread) => heard.push(thread)) }),
    });
    await startAll(here, child('near'));
    for (const life of [1, 2]) {
      join(here, hostOf('there', {}, life));
      here.host.disconnect('there');
    }
    expect(heard).toEqual(['there', 'there']);
  });

  it('notifies the listener of the current incarnation only', async () => {
    const heard: number[] = [];
    let lives = 0;
    const here = hostOf('here', {
      near: (context) => {
        const life = ++lives;
        return { start: () => context.onThreadUp(() => heard.push(life)) };
      },
    });
    await startAll(here, child('near'));
    here.host.crashActor('near', new Error('injected'));
    join(here, hostOf('there', {}));
    expect(heard).toEqual([2]);
  });
});
