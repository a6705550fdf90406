import { describe, expect, it } from 'vitest';
import type { FamilyOutcome } from '../../../actors/iptables-chains/protocol.ts';
import { decide, initialState, look, type IptablesChainsState } from '../../../actors/iptables-chains/state.ts';

type Outcome = FamilyOutcome['outcome'];
const FAILED: Outcome = { type: 'failed', problem: 'refused' };

const knowing = (IPv4: IptablesChainsState['families']['IPv4'], IPv6: IptablesChainsState['families']['IPv6']) => ({
  families: { IPv4, IPv6 },
});

/** A look that ended so, in a few words. */
function after(state: IptablesChainsState, IPv4: Outcome, IPv6?: Outcome) {
  const outcomes: FamilyOutcome[] = [{ family: 'IPv4', outcome: IPv4 }];
  if (IPv6 !== undefined) outcomes.push({ family: 'IPv6', outcome: IPv6 });
  const { next, effects } = decide(state, { type: 'look-ended', outcomes });
  const inWords = effects.map((effect) => {
    if (effect.type === 'log') return `${effect.level}: ${effect.message}`;
    if (effect.type === 'report') return `duty: ${effect.problem ?? 'works'}`;
    return effect.type === 'look-later' ? `in ${effect.afterMs} ms` : effect.type;
  });
  return { families: next.families, inWords };
}

describe('the iptables chains', () => {
  it('are looked for in both families at first', () => {
    expect(look(initialState)).toEqual({
      type: 'look',
      families: [
        { family: 'IPv4', state: 'new' },
        { family: 'IPv6', state: 'new' },
      ],
    });
  });

  it.each([
    {
      rule: 'are logged once they are made',
      given: initialState,
      outcomes: [{ type: 'made' }, { type: 'made' }],
      families: { IPv4: 'made', IPv6: 'made' },
      says: [
        'info: iptables chains of IPv4 are made',
        'info: iptables chains of IPv6 are made',
        'duty: works',
        'in 60000 ms',
      ],
    },
    {
      rule: 'are not looked for again where no family has iptables, with one line',
      given: initialState,
      outcomes: [{ type: 'absent' }, { type: 'absent' }],
      families: { IPv4: 'absent', IPv6: 'absent' },
      says: ['info: no iptables can be used on this host: the chain KUBE-IPTABLES-HINT is not made'],
    },
    {
      rule: 'are kept in the one family that has iptables',
      given: initialState,
      outcomes: [{ type: 'made' }, { type: 'absent' }],
      families: { IPv4: 'made', IPv6: 'absent' },
      says: ['info: iptables chains of IPv4 are made', 'duty: works', 'in 60000 ms'],
    },
    {
      rule: 'that were not flushed are no news',
      given: knowing('made', 'made'),
      outcomes: [{ type: 'untouched' }, { type: 'untouched' }],
      families: { IPv4: 'made', IPv6: 'made' },
      says: ['duty: works', 'in 60000 ms'],
    },
    {
      rule: 'that were flushed are made again, and logged',
      given: knowing('made', 'absent'),
      outcomes: [{ type: 'made' }],
      families: { IPv4: 'made', IPv6: 'absent' },
      says: ['info: iptables of IPv4 were flushed; chains are made again', 'duty: works', 'in 60000 ms'],
    },
    {
      rule: 'that are refused are retried, with one warning',
      given: initialState,
      outcomes: [FAILED, { type: 'made' }],
      families: { IPv4: 'unmade', IPv6: 'made' },
      says: [
        'warn: iptables chains of IPv4 cannot be made: refused; retrying in 60 s',
        'info: iptables chains of IPv6 are made',
        'duty: IPv4: refused',
        'in 60000 ms',
      ],
    },
    {
      rule: 'that are refused again are not logged again',
      given: knowing('unmade', 'made'),
      outcomes: [FAILED, { type: 'untouched' }],
      families: { IPv4: 'unmade', IPv6: 'made' },
      says: ['duty: IPv4: refused', 'in 60000 ms'],
    },
  ] as const)('$rule', ({ given, outcomes: [ipv4, ipv6], families, says }) => {
    expect(after(given, ipv4, ipv6)).toEqual({ families, inWords: says });
  });

  it('are not looked for in a family without iptables', () => {
    expect(decide(knowing('made', 'absent'), { type: 'look-due' }).effects).toEqual([
      { type: 'look', families: [{ family: 'IPv4', state: 'made' }] },
    ]);
  });
});
