import { describe, expect, it } from 'vitest';
import type { HostCommand } from '../../src/actor/messages/host-protocol.ts';
import { child, quiet, startAll, testHost, verdicts } from './test-host.ts';

const boom = (): never => {
  throw new Error('boom');
};

describe('an actor that has finished', () => {
  it('is stopped and forgotten, and reported as such', async () => {
    const it = testHost({ brief: (context) => ({ tell: () => context.finish() }) });
    await startAll(it, child('brief/1', { lifetime: 'transient' }));
    it.tell('brief/1', 'done');
    await quiet();
    expect(it.host.addresses('brief')).toEqual([]);
    expect(verdicts(it)).toEqual(['finished']);
    await expect(it.ask('brief/1')).resolves.toBe('no-such-actor');
  });

  it('reads nothing more, and refuses the questions that waited', async () => {
    const read: string[] = [];
    const it = testHost({
      brief: (context) => ({
        tell({ type }) {
          read.push(type);
          context.finish();
        },
        ask: () => 'too late',
      }),
    });
    await startAll(it, child('brief/1', { lifetime: 'transient' }));
    it.tell('brief/1', 'done');
    it.tell('brief/1', 'more');
    await expect(it.ask('brief/1')).resolves.toBe('no-such-actor');
    expect(read).toEqual(['done']);
  });

  it('can be started again at the same address', async () => {
    let lives = 0;
    const it = testHost({ brief: (context) => ({ start: () => void lives++, tell: () => context.finish() }) });
    await startAll(it, child('brief/1', { lifetime: 'transient' }));
    it.tell('brief/1', 'done');
    await quiet();
    await startAll(it, child('brief/1', { lifetime: 'transient' }));
    expect(lives).toBe(2);
  });

  it('settles the question in which it finishes exactly once', async () => {
    const it = testHost({ brief: (context) => ({ ask: () => context.finish() }) });
    await startAll(it, child('brief/1', { lifetime: 'transient' }));
    await expect(it.ask('brief/1')).resolves.toBe('callee-ended');
  });
});

describe('an orderly stop', () => {
  it("waits for the actor's last work", async () => {
    const last = Promise.withResolvers<void>();
    const it = testHost({ careful: () => ({ stop: () => last.promise }) });
    await startAll(it, child('careful'));
    let over = false;
    const stopped = it.host.stopActor('careful').then(() => (over = true));
    await quiet();
    expect(over).toBe(false);
    last.resolve();
    await stopped;
    expect(verdicts(it)).toEqual(['stopped']);
    expect(it.host.addresses('careful')).toEqual([]);
    it.clock.advance(50);
    expect(it.clock.armed).toBe(0);
  });

  it('abandons the last work at its deadline', async () => {
    const it = testHost({ slow: () => ({ stop: () => new Promise(() => {}) }) });
    await startAll(it, child('slow', { stopWithinMs: 500 }));
    const stopped = it.host.stopActor('slow');
    it.clock.advance(500);
    await stopped;
    expect(verdicts(it)).toEqual(['stopped']);
  });

  it.each([
    { says: 'throws', stop: boom },
    { says: 'rejects', stop: () => Promise.reject(new Error('boom')) },
  ])('also ends if the last work $says', async ({ stop }) => {
    const it = testHost({ clumsy: () => ({ stop }) });
    await startAll(it, child('clumsy'));
    await it.host.stopActor('clumsy');
    expect(verdicts(it)).toEqual(['stopped']);
  });

  it('requested twice still gives the last work its whole time', async () => {
    const last = Promise.withResolvers<void>();
    let ended = 0;
    const it = testHost({ careful: () => ({ stop: () => last.promise }) });
    await startAll(it, child('careful'));
    for (let asked = 0; asked < 2; asked++) void it.host.stopActor('careful').then(() => ended++);
    await quiet();
    expect(ended).toBe(0);
    last.resolve();
    await quiet();
    expect(ended).toBe(2);
  });

  it('settles open questions to the actor', async () => {
    const it = testHost({ mute: () => ({ ask: () => new Promise(() => {}) }) });
    await startAll(it, child('mute'));
    const read = it.ask('mute');
    await quiet();
    const unread = it.ask('mute');
    await it.host.stopActor('mute');
    await expect(read).resolves.toBe('callee-ended');
    await expect(unread).resolves.toBe('no-such-actor');
  });

  it('restarts nothing if the actor crashes during the stop', async () => {
    let lives = 0;
    const it = testHost({
      clumsy: (context) => ({
        start: () => void lives++,
        stop() {
          context.supervise(Promise.reject(new Error('boom')));
          return new Promise(() => {});
        },
      }),
    });
    await startAll(it, child('clumsy'));
    await it.host.stopActor('clumsy');
    await quiet();
    expect(lives).toBe(1);
    expect(verdicts(it)).toEqual(['stopped']);
  });

  it('also ends an actor that is still booting', async () => {
    const ready = Promise.withResolvers<void>();
    const read: string[] = [];
    const it = testHost({ slow: () => ({ start: () => ready.promise, tell: ({ type }) => void read.push(type) }) });
    const started = startAll(it, child('slow'));
    it.tell('slow', 'a');
    await it.host.stopActor('slow');
    ready.resolve();
    await started;
    await quiet();
    expect(read).toEqual([]);
    expect(it.host.addresses('slow')).toEqual([]);
  });

  it('also ends an actor that waits for its restart', async () => {
    let lives = 0;
    const it = testHost({
      stillborn: () => {
        lives++;
        return boom();
      },
    });
    await startAll(it, child('stillborn'));
    await it.host.stopActor('stillborn');
    it.clock.advance(10_000);
    await quiet();
    expect(lives).toBe(1);
  });

  it('gives the address and its messages to a successor afterwards', async () => {
    const diary: string[] = [];
    const last = Promise.withResolvers<void>();
    const it = testHost({
      pod: (_, init) => ({
        start: () => void diary.push(`${String(init)} starts`),
        tell: ({ type }) => void diary.push(`${String(init)} reads ${type}`),
        stop: () => last.promise.then(() => void diary.push(`${String(init)} ends`)),
      }),
    });
    await startAll(it, child('pod/1', { init: 'first' }));
    const stopped = it.host.stopActor('pod/1');
    const started = it.host.startActor(child('pod/1', { init: 'second' }));
    it.tell('pod/1', 'a');
    await quiet();
    expect(diary).toEqual(['first starts']);
    last.resolve();
    await Promise.all([stopped, started]);
    await quiet();
    expect(diary).toEqual(['first starts', 'first ends', 'second starts', 'second reads a']);
    expect(it.host.addresses('pod')).toEqual(['pod/1']);
  });
});

describe('the host of a thread, commanded by any actor', () => {
  const told = (it: ReturnType<typeof testHost>, command: HostCommand): Promise<void> => {
    it.host.tell('host/here', command);
    return quiet();
  };

  it('starts and stops actors', async () => {
    const it = testHost({ pod: () => ({}) });
    await told(it, { type: 'start-actor', spec: child('pod/1') });
    await told(it, { type: 'start-actor', spec: child('pod/2') });
    await told(it, { type: 'start-actor', spec: child('pod/2') });
    await expect(it.host.ask('host/here', { type: 'list-actors', kind: 'pod' } as never, 100)).resolves.toEqual([
      'pod/1',
      'pod/2',
    ]);
    await told(it, { type: 'stop-actor', address: 'pod/1' });
    expect(it.host.addresses('pod')).toEqual(['pod/2']);
  });

  it('forwards a command to all actors of a kind, and no others', async () => {
    const read: string[] = [];
    const it = testHost({
      pod: ({ address }) => ({ tell: () => void read.push(address) }),
      pleg: ({ address }) => ({ tell: () => void read.push(address) }),
    });
    await startAll(it, child('pod/1'), child('pleg'), child('pod/2'));
    await told(it, { type: 'broadcast', kind: 'pod', command: { type: 'relist' } });
    expect(read).toEqual(['pod/1', 'pod/2']);
  });

  it('accepts messages for a started address at once', async () => {
    const read: string[] = [];
    const it = testHost({ pod: () => ({ tell: ({ type }) => void read.push(type) }) });
    it.host.tell('host/here', { type: 'start-actor', spec: child('pod/1') } as never);
    it.tell('pod/1', 'a');
    await quiet();
    expect(read).toEqual(['a']);
  });

  it("runs no actor's code within the sender's call", async () => {
    const diary: string[] = [];
    const it = testHost({
      pod: () => ({ start: () => void diary.push('start'), stop: () => void diary.push('stop') }),
    });
    it.host.tell('host/here', { type: 'start-actor', spec: child('pod/1') } as never);
    expect(diary).toEqual([]);
    await quiet();
    it.host.tell('host/here', { type: 'stop-actor', address: 'pod/1' } as never);
    expect(diary).toEqual(['start']);
    await quiet();
    expect(diary).toEqual(['start', 'stop']);
  });

  it('survives a command with an unknown kind', async () => {
    const it = testHost({ pod: () => ({}) });
    await told(it, { type: 'start-actor', spec: child('unknown/1') });
    await told(it, { type: 'start-actor', spec: child('pod/1') });
    expect(it.host.addresses('pod')).toEqual(['pod/1']);
  });

  it('can stop all that were started by messages, together', async () => {
    const it = testHost({ pod: () => ({ stop: () => new Promise(() => {}) }), always: () => ({}) });
    await startAll(it, child('always'), child('pod/1'), child('pod/2'));
    const stopped = it.host.stopOthers(new Set(['always']));
    it.clock.advance(1_000);
    await stopped;
    expect(Object.keys(it.host.figures().actors)).toEqual(['always']);
  });
});
