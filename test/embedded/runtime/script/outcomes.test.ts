import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer, ExecResult } from '../../../../src/embedded/runtime/script/outcome.ts';
import { nthOutcome, OutcomeCounters, outcomeAtAge } from '../../../../src/embedded/runtime/script/outcomes.ts';
import type { Outcomes } from '../../../../src/embedded/runtime/script/script.ts';

const answers = (...texts: [string, ...string[]]): Outcomes<Answer> =>
  texts.map((text) => ({ action: 'ok', delayMs: 0, text })) as [Answer, ...Answer[]];

describe('a list of outcomes', () => {
  it.each([
    { n: 0, text: 'a' },
    { n: 1, text: 'b' },
    { n: 2, text: 'c' },
    { n: 3, text: 'c' },
    { n: 1000, text: 'c' },
  ])('gives $text to call $n: one item a call, the last item from then on', ({ n, text }) => {
    expect(nthOutcome(answers('a', 'b', 'c'), n).text).toBe(text);
  });

  it('is consumed separately for each counted object', () => {
    const counters = new OutcomeCounters();
    const list = answers('first', 'then');
    const taken = ['x', 'x', 'y', 'x', 'y'].map((key) => counters.take(key, list).text);
    expect(taken).toEqual(['first', 'then', 'first', 'then', 'then']);
  });

  it('gives the n-th call its n-th item', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.nat({ max: 30 }), (texts, calls) => {
        const list = answers(...(texts as [string, ...string[]]));
        const counters = new OutcomeCounters();
        for (let n = 0; n < calls; n += 1) expect(counters.take('key', list)).toBe(nthOutcome(list, n));
      }),
    );
  });
});

describe('results by age', () => {
  const result = (code: number): ExecResult => ({ action: code, delayMs: 0, text: '' });
  const rule = { by: 'age', agesMs: [0, 7000, 12_000], results: [result(0), result(1), result(2)] } as const;
  it.each([
    { ageMs: 0, code: 0 },
    { ageMs: 6999, code: 0 },
    { ageMs: 7000, code: 1 },
    { ageMs: 11_999, code: 1 },
    { ageMs: 60_000, code: 2 },
    { ageMs: -5, code: 0 },
  ])('at $ageMs ms are those of the last age reached', ({ ageMs, code }) => {
    expect(outcomeAtAge(rule, ageMs).action).toBe(code);
  });
});
