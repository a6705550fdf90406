import { describe, expect, it } from 'vitest';
import {
  decideDuty,
  newDuty,
  nextJudgement,
  type DutyEffect,
  type DutyInput,
  type DutyRhythm,
} from '../../src/health/duty-state.ts';

type Step = readonly [at: number, input: DutyInput];

/** Plays inputs at their instants, in milliseconds, with a judgement at `end`. */
function play(steps: readonly Step[], end: number, rhythm: DutyRhythm = 'always') {
  let state = newDuty;
  const heard: string[] = [];
  for (const [at, input] of [...steps, [end, { type: 'due' }] as const]) {
    const { state: next, effects } = decideDuty(state, input, { now: at, rhythm });
    state = next;
    heard.push(...effects.map((effect) => textOf(effect, at)));
  }
  return { heard, state };
}

const textOf = (effect: DutyEffect, at: number): string =>
  effect.type === 'report-end'
    ? `${at}: over`
    : `${at}: ${effect.isNew ? 'trouble' : 'still'} since ${effect.trouble.since}, ${effect.trouble.why}`;

const worked = { type: 'worked', attempt: undefined } as const;
const failed = (why = 'refused', attempt?: number) => ({ type: 'failed', attempt, why }) as const;
const begun = (attempt = 1, what?: string) => ({ type: 'begun', attempt, what }) as const;

describe('work that is repeated', () => {
  it.each<{ rule: string; steps: readonly Step[]; end: number; heard: readonly string[] }>([
    { rule: 'success is no news', steps: [[0, worked]], end: 60_000, heard: [] },
    {
      rule: 'a short failure is no news',
      steps: [
        [0, failed()],
        [9_000, worked],
      ],
      end: 60_000,
      heard: [],
    },
    {
      rule: 'ten seconds of failure are trouble',
      steps: [[0, failed()]],
      end: 10_000,
      heard: ['10000: trouble since 0, refused'],
    },
    {
      rule: 'trouble counts from the first failure, and shows the last reason',
      steps: [
        [0, failed('one')],
        [5_000, failed('two')],
      ],
      end: 10_000,
      heard: ['10000: trouble since 0, two'],
    },
    {
      rule: 'a success begins anew',
      steps: [
        [0, failed()],
        [5_000, worked],
        [6_000, failed()],
      ],
      end: 15_999,
      heard: [],
    },
    {
      rule: 'an attempt without an end is trouble',
      steps: [[0, begun()]],
      end: 10_000,
      heard: ['10000: trouble since 0, there is no answer yet'],
    },
    {
      rule: 'an attempt without an end is named',
      steps: [
        [0, begun(1, 'publishing vol-1')],
        [1, begun(2, 'publishing vol-2')],
      ],
      end: 10_000,
      heard: ['10000: trouble since 0, publishing vol-1 has no answer yet'],
    },
    {
      rule: 'a failure counts from the beginning of its attempt',
      steps: [
        [0, begun()],
        [9_000, failed('late', 1)],
      ],
      end: 10_000,
      heard: ['10000: trouble since 0, late'],
    },
    {
      rule: 'an attempt that hangs is trouble although others succeed',
      steps: [
        [0, begun(1)],
        [1_000, begun(2)],
        [2_000, { type: 'worked', attempt: 2 }],
      ],
      end: 10_000,
      heard: ['10000: trouble since 0, there is no answer yet'],
    },
    {
      rule: 'a dropped attempt means nothing',
      steps: [
        [0, begun()],
        [5_000, { type: 'dropped', attempt: 1 }],
      ],
      end: 60_000,
      heard: [],
    },
    {
      rule: 'the end of trouble is reported once',
      steps: [
        [0, failed()],
        [10_000, { type: 'due' }],
        [12_000, worked],
        [13_000, worked],
      ],
      end: 60_000,
      heard: ['10000: trouble since 0, refused', '12000: over'],
    },
    {
      rule: 'trouble that goes on is repeated only when due',
      steps: [
        [0, failed()],
        [10_000, { type: 'due' }],
        [12_000, failed('again')],
      ],
      end: 40_000,
      heard: ['10000: trouble since 0, refused', '40000: still since 0, again'],
    },
    {
      rule: 'trouble goes on when the attempt that hung ends in a failure',
      steps: [
        [0, begun()],
        [10_000, { type: 'due' }],
        [11_000, failed('late', 1)],
      ],
      end: 40_000,
      heard: ['10000: trouble since 0, there is no answer yet', '40000: still since 0, late'],
    },
  ])('$rule', ({ steps, end, heard }) => {
    expect(play(steps, end).heard).toEqual(heard);
  });

  it.each<{ rule: string; steps: readonly Step[]; end: number; heard: readonly string[] }>([
    { rule: 'one failure is no trouble', steps: [[0, failed()]], end: 30_000, heard: [] },
    {
      rule: 'failures over ten seconds are trouble',
      steps: [
        [0, failed()],
        [10_000, failed('again')],
      ],
      end: 10_000,
      heard: ['10000: trouble since 0, again', '10000: still since 0, again'],
    },
    {
      rule: 'trouble is over when there was nothing to do for a minute',
      steps: [
        [0, failed()],
        [10_000, failed()],
        [69_999, { type: 'due' }],
      ],
      end: 70_000,
      heard: ['10000: trouble since 0, refused', '69999: still since 0, refused', '70000: over'],
    },
    {
      rule: 'an attempt without an end is trouble',
      steps: [[0, begun()]],
      end: 10_000,
      heard: ['10000: trouble since 0, there is no answer yet'],
    },
  ])('that is done on demand: $rule', ({ steps, end, heard }) => {
    expect(play(steps, end, 'on-demand').heard).toEqual(heard);
  });

  it('is judged again when its failure or its oldest attempt has lasted ten seconds', () => {
    expect(nextJudgement(newDuty)).toBeUndefined();
    expect(nextJudgement(play([[1_000, failed()]], 2_000).state)).toBe(11_000);
    expect(
      nextJudgement(
        play(
          [
            [1_000, begun(1)],
            [2_000, begun(2)],
          ],
          3_000,
        ).state,
      ),
    ).toBe(11_000);
    expect(nextJudgement(play([[0, failed()]], 10_000).state)).toBeUndefined();
  });
});
