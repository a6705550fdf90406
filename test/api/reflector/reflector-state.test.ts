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
  listsInARow: 1,
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
const received = (version: string | undefined, initialEnd = false): ReflectorInput => ({
  type: 'events-received',
  serial: 5,
  version,
  initialEnd,
});
const due: ReflectorInput = { type: 'due', serial: 5 };

/** The effects, in a few words. */
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
      rule: 'begins with a watch with initial events, if the server supports that',
      state: newReflector,
      input: { type: 'begin' },
      does: ['begin-replace', 'watch from the start', 'wait 30000'],
    },
    {
      rule: 'is complete when such a watch reports it',
      state: streaming,
      input: received('90', true),
      does: ['end-replace', 'wait 660000'],
    },
    { rule: 'waits while events arrive', state: streaming, input: received('3'), does: ['wait 30000'] },
    ...[400, 403, 410, 422, 500, 501].map((code) => ({
      rule: `lists at once if the server rejects such a watch with ${code}`,
      state: streaming,
      input: ended(refused(code)),
      does: ['count stream-refused', 'begin-replace', 'list all', 'wait 180000'],
    })),
    {
      rule: 'does not list at once if the server is too busy for such a watch',
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
      rule: 'lists after three such watches that ended before the initial events were complete',
      state: { ...streaming, failures: 2 },
      input: ended(),
      does: ['count stream-refused', 'begin-replace', 'list all', 'wait 180000'],
    },
    {
      rule: 'lists if the server ignores the request for initial events',
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
      rule: 'continues from the last version when the server ends the watch',
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
      rule: 'waits a little when the connection breaks, and continues from the last version',
      state: watching,
      input: ended(unreachable),
      does: ['count watch-failed', 'wait 800'],
    },
    { rule: 'continues after that wait', state: waitingToWatch, input: due, does: ['watch from 70', 'wait 660000'] },
    {
      rule: 'waits longer each time',
      state: { ...watching, failures: 4 },
      input: ended(unreachable),
      does: ['count watch-failed', 'wait 12800'],
    },
    {
      rule: 'waits for Retry-After',
      state: watching,
      input: ended(refused(429, { retryAfterMs: 9_000 })),
      does: ['count watch-failed', 'wait 9000'],
    },
    {
      rule: 'lists again when its version has expired',
      state: watching,
      input: ended(refused(410)),
      does: ['count expired', 'wait 0'],
    },
    {
      rule: 'lists again at once when its version has expired soon after the first list',
      state: { ...watching, listedAt: NOW - 10_000 },
      input: ended(refused(410)),
      does: ['count expired', 'wait 0'],
    },
    {
      rule: 'pauses longer with each list that follows soon',
      state: { ...watching, listedAt: NOW - 2_000, listsInARow: 4 },
      input: ended(refused(410)),
      does: ['count expired', 'wait 4400'],
    },
    {
      rule: 'lists once a minute at most when its version expires again and again',
      state: { ...watching, listedAt: NOW - 10_000, listsInARow: 20 },
      input: ended(refused(410)),
      does: ['count expired', 'wait 50000'],
    },
    {
      rule: 'lists again after a malformed event',
      state: watching,
      input: ended({ kind: 'unreadable', message: '' }),
      does: ['count bad-event', 'wait 0'],
    },
    {
      rule: 'lists again when its version is rejected repeatedly',
      state: { ...watching, failures: 2 },
      input: ended(refused(500)),
      does: ['count watch-failed', 'wait 3200'],
    },
    {
      rule: 'reopens a watch that was silent for longer than its timeout',
      state: watching,
      input: due,
      does: ['close-watch', 'count silent', 'watch from 70', 'wait 660000'],
    },
    {
      rule: 'retries a failed list',
      state: listing,
      input: failedPage(unreachable),
      does: ['count list-failed', 'wait 800'],
    },
    {
      rule: 'retries a list without an answer',
      state: listing,
      input: due,
      does: ['count silent', 'wait 0'],
    },
    {
      rule: 'continues at once when the server is back',
      state: waitingToWatch,
      input: { type: 'server-up' },
      does: ['wait 0'],
    },
    {
      rule: 'but lists no earlier than allowed',
      state: { ...waitingToList, listedAt: NOW - 20_000, listsInARow: 20 },
      input: { type: 'server-up' },
      does: ['wait 40000'],
    },
    {
      rule: 'and no earlier than Retry-After of a server that was never down',
      state: { ...watching, phase: { name: 'waiting', next: { type: 'list' }, isRefused: true } },
      input: { type: 'server-up' },
      does: [],
    },
    {
      rule: "ignores the server's return while its watch works",
      state: watching,
      input: { type: 'server-up' },
      does: [],
    },
    {
      rule: 'ignores answers to earlier steps',
      state: { ...watching, serial: 6 },
      input: ended(unreachable),
      does: [],
    },
  ])('$rule', ({ state, input, does }) => {
    expect(words(decide(state, input))).toEqual(does);
  });

  it('requests such a watch again from a server that rejected one, but not within half an hour', () => {
    const { state } = decide(streaming, ended(refused(500)));
    const waiting: ReflectorState = { ...state, phase: { name: 'waiting', next: { type: 'list' }, isRefused: false } };
    const later = (ms: number) => words(decide(waiting, { type: 'due', serial: state.serial }, NOW + ms));
    expect(later(29 * 60_000)).toContain('list all');
    expect(later(30 * 60_000)).toContain('watch from the start');
  });

  it('continues from the last version, bookmarks included', () => {
    const { state } = decide(watching, received('99'));
    expect(words(decide(state, ended()))).toEqual(['watch from 99', 'wait 660000']);
  });

  it('resets its back-off after an event', () => {
    const { state } = decide({ ...watching, failures: 4 }, received('99'));
    expect(state.failures).toBe(0);
  });

  it('adds jitter to its requests', () => {
    const late = decideReflector(watching, ended(refused(410)), { now: NOW, random: () => 0.9 });
    expect(words(late)).toEqual(['count expired', 'wait 1800']);
  });

  it.each([
    ['soon after', 119_000, 4],
    ['long after', 120_000, 1],
  ])('counts a list that is complete %s the one before', (_when, agoMs, listsInARow) => {
    const since = { listedAt: NOW - 500 - agoMs, listsInARow: 3 };
    expect(decide({ ...listing, ...since }, page()).state).toMatchObject({ listedAt: NOW - 500, listsInARow });
    expect(decide({ ...streaming, ...since }, received('80', true)).state).toMatchObject({ listsInARow });
  });
});
