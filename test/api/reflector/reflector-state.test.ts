import { describe, expect, it } from 'vitest';
import type { ApiFault } from '../../../src/api/api-request.ts';
import {
  decideReflector,
  newReflector,
  type Decided,
  type ReflectorInput,
  type ReflectorState,
} from '../../../src/api/reflector/reflector-state.ts';

const NOW = 1_000_000;
const decide = (state: ReflectorState, input: ReflectorInput, now = NOW): Decided =>
  decideReflector(state, input, { now, random: () => 0 });

const watching: ReflectorState = {
  phase: { name: 'watching', version: '70', since: NOW - 60_000 },
  serial: 5,
  failures: 0,
  listedAt: NOW - 600_000,
  streamFrom: NOW + 1,
};
const listing: ReflectorState = { ...watching, phase: { name: 'listing', began: NOW - 500 } };
const streaming: ReflectorState = {
  ...newReflector,
  serial: 5,
  phase: { name: 'streaming', began: NOW - 500 },
};
const waitingToWatch: ReflectorState = {
  ...watching,
  phase: { name: 'waiting', next: { type: 'watch', version: '70' }, isRefused: false },
};
const waitingToList: ReflectorState = {
  ...watching,
  phase: { name: 'waiting', next: { type: 'list' }, isRefused: false },
};

const refused = (code: number, more: object = {}): ApiFault => ({
  kind: 'refused',
  code,
  reason: code === 410 ? 'Expired' : '',
  message: '',
  ...more,
});
const unreachable: ApiFault = { kind: 'unreachable', message: '' };
const ended = (fault?: ApiFault): ReflectorInput => ({ type: 'ended', serial: 5, fault });
const page = (more?: string): ReflectorInput => ({
  type: 'page',
  serial: 5,
  outcome: { ok: true, version: '80', more },
});
const failedPage = (fault: ApiFault): ReflectorInput => ({ type: 'page', serial: 5, outcome: { ok: false, fault } });
const heard = (version: string | undefined, initialEnd = false): ReflectorInput => ({
  type: 'heard',
  serial: 5,
  version,
  initialEnd,
});
const due: ReflectorInput = { type: 'due', serial: 5 };

/** What is done, in a few words. */
const words = ({ effects }: Decided): readonly string[] =>
  effects.map((effect) => {
    switch (effect.type) {
      case 'list':
        return `list ${effect.more ?? 'all'}`;
      case 'watch':
        return `watch from ${effect.version ?? 'the start'}`;
      case 'wait':
        return `wait ${effect.ms}`;
      case 'count':
        return `count ${effect.what}`;
      default:
        return effect.type;
    }
  });

describe('following objects', () => {
  it.each<{ rule: string; state: ReflectorState; input: ReflectorInput; does: readonly string[] }>([
    {
      rule: 'begins with a watch that says everything first, where the server offers that',
      state: newReflector,
      input: { type: 'begin' },
      does: ['begin-replace', 'watch from the start', 'wait 30000'],
    },
    {
      rule: 'is complete when such a watch says so',
      state: streaming,
      input: heard('90', true),
      does: ['end-replace', 'wait 660000'],
    },
    { rule: 'waits as long as something comes', state: streaming, input: heard('3'), does: ['wait 30000'] },
    ...[400, 403, 410, 422, 500, 501].map((code) => ({
      rule: `lists at once where the server refuses such a watch with ${code}`,
      state: streaming,
      input: ended(refused(code)),
      does: ['count stream-refused', 'begin-replace', 'list all', 'wait 180000'],
    })),
    {
      rule: 'does not list at once where the server is too busy for such a watch',
      state: streaming,
      input: ended(refused(429, { retryAfterMs: 9_000 })),
      does: ['count list-failed', 'wait 9000'],
    },
    {
      rule: 'requests such a watch again from a server that cannot be reached, however often',
      state: { ...streaming, failures: 9 },
      input: ended(unreachable),
      does: ['count list-failed', 'wait 30000'],
    },
    {
      rule: 'lists after three such watches that ended before everything was said',
      state: { ...streaming, failures: 2 },
      input: ended(),
      does: ['count stream-refused', 'begin-replace', 'list all', 'wait 180000'],
    },
    {
      rule: 'lists where the server does not know of it and never says that everything was said',
      state: streaming,
      input: due,
      does: ['close-watch', 'begin-replace', 'list all', 'wait 180000'],
    },
    { rule: 'reads page after page', state: listing, input: page('next'), does: ['list next', 'wait 180000'] },
    {
      rule: 'watches from the version of the list',
      state: listing,
      input: page(),
      does: ['end-replace', 'watch from 80', 'wait 660000'],
    },
    {
      rule: 'goes on where it left off when the server ends the watch',
      state: watching,
      input: ended(),
      does: ['watch from 70', 'wait 660000'],
    },
    {
      rule: 'waits a little when watches end as they begin',
      state: { ...watching, phase: { name: 'watching', version: '70', since: NOW } },
      input: ended(),
      does: ['wait 800'],
    },
    {
      rule: 'waits a little when the connection breaks, and goes on where it left off',
      state: watching,
      input: ended(unreachable),
      does: ['count watch-failed', 'wait 800'],
    },
    { rule: 'and does go on there', state: waitingToWatch, input: due, does: ['watch from 70', 'wait 660000'] },
    {
      rule: 'waits longer each time',
      state: { ...watching, failures: 4 },
      input: ended(unreachable),
      does: ['count watch-failed', 'wait 12800'],
    },
    {
      rule: 'waits for as long as the server says',
      state: watching,
      input: ended(refused(429, { retryAfterMs: 9_000 })),
      does: ['count watch-failed', 'wait 9000'],
    },
    {
      rule: 'lists anew when the server has forgotten its version',
      state: watching,
      input: ended(refused(410)),
      does: ['count expired', 'wait 0'],
    },
    {
      rule: 'lists once a minute at most',
      state: { ...watching, listedAt: NOW - 10_000 },
      input: ended(refused(410)),
      does: ['count expired', 'wait 50000'],
    },
    {
      rule: 'lists anew after an event that cannot be read',
      state: watching,
      input: ended({ kind: 'unreadable', message: '' }),
      does: ['count bad-event', 'wait 0'],
    },
    {
      rule: 'lists anew when it is refused where it left off again and again',
      state: { ...watching, failures: 2 },
      input: ended(refused(500)),
      does: ['count watch-failed', 'wait 3200'],
    },
    {
      rule: 'opens a watch anew that has been silent for longer than it may live',
      state: watching,
      input: due,
      does: ['close-watch', 'count silent', 'watch from 70', 'wait 660000'],
    },
    {
      rule: 'tries a list again that failed',
      state: listing,
      input: failedPage(unreachable),
      does: ['count list-failed', 'wait 800'],
    },
    {
      rule: 'tries a list again of which nothing was heard',
      state: listing,
      input: due,
      does: ['count silent', 'wait 0'],
    },
    {
      rule: 'goes on at once when the server is back',
      state: waitingToWatch,
      input: { type: 'server-up' },
      does: ['wait 0'],
    },
    {
      rule: 'but lists no sooner than it may',
      state: { ...waitingToList, listedAt: NOW - 20_000 },
      input: { type: 'server-up' },
      does: ['wait 40000'],
    },
    {
      rule: 'and no sooner than a server wants it that was there all the time',
      state: { ...watching, phase: { name: 'waiting', next: { type: 'list' }, isRefused: true } },
      input: { type: 'server-up' },
      does: [],
    },
    { rule: 'is not disturbed by that when it goes well', state: watching, input: { type: 'server-up' }, does: [] },
    {
      rule: 'ignores what belongs to an earlier step',
      state: { ...watching, serial: 6 },
      input: ended(unreachable),
      does: [],
    },
  ])('$rule', ({ state, input, does }) => {
    expect(words(decide(state, input))).toEqual(does);
  });

  it('requests such a watch again from a server that refused one, but not within half an hour', () => {
    const { state } = decide(streaming, ended(refused(500)));
    const waiting: ReflectorState = { ...state, phase: { name: 'waiting', next: { type: 'list' }, isRefused: false } };
    const later = (ms: number) => words(decide(waiting, { type: 'due', serial: state.serial }, NOW + ms));
    expect(later(29 * 60_000)).toContain('list all');
    expect(later(30 * 60_000)).toContain('watch from the start');
  });

  it('goes on from the last version it heard, bookmarks included', () => {
    const { state } = decide(watching, heard('99'));
    expect(words(decide(state, ended()))).toEqual(['watch from 99', 'wait 660000']);
  });

  it('forgets its failures when something is heard', () => {
    const { state } = decide({ ...watching, failures: 4 }, heard('99'));
    expect(state.failures).toBe(0);
  });

  it('spreads what it does over time', () => {
    const late = decideReflector(watching, ended(refused(410)), { now: NOW, random: () => 0.9 });
    expect(words(late)).toEqual(['count expired', 'wait 1800']);
  });
});
