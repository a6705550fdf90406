import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { fuzzTarget, type TargetReport } from './fuzz-loop.ts';
import { judged, threadMs } from './oracle.ts';
import { applyMutations, pathsOf } from './mutation.ts';
import { jsonOf, nest, repeat, textOf, valueOf } from './recipe.ts';
import type { Target } from './target.ts';

/** Whole numbers, given to a function. */
const numbers = (read: (given: number) => unknown): Target<number> => ({
  name: 'numbers',
  allowedMs: 20,
  cases: fc.nat(10_000),
  open: async () => ({ run: (given) => judged('read', () => read(given), String), close: () => Promise.resolve() }),
});

const fuzz = (target: Target<number>): Promise<TargetReport> =>
  fuzzTarget(target, { seed: 3, ms: 300, clock: systemClock });

describe('a run of the fuzzer', () => {
  it('counts cases and outcomes, and has no finding without a problem', async () => {
    const { cases, outcomes, findings } = await fuzz(numbers((given) => given % 7));
    expect(cases).toBeGreaterThan(100);
    expect({ outcomes, findings }).toEqual({ outcomes: 7, findings: [] });
  });

  it('finds an error once, with its smallest case', async () => {
    const { findings } = await fuzz(
      numbers((given) => {
        if (given > 1_234) throw new Error('too large');
      }),
    );
    expect(findings).toMatchObject([{ problem: { kind: 'defect', where: 'read: Error: too large' }, case: 1_235 }]);
  });

  it('finds errors of different kinds one after the other', async () => {
    const { findings } = await fuzz(
      numbers((given) => {
        if (given % 2 === 1) throw new Error('odd');
        if (given > 100) throw new Error('large');
      }),
    );
    expect(findings.map(({ problem }) => problem.where).toSorted()).toEqual(['read: Error: large', 'read: Error: odd']);
  });

  it('finds a handler that is slow each time', async () => {
    const { findings } = await fuzz(
      numbers(() => {
        const until = threadMs() + 25;
        while (threadMs() < until);
      }),
    );
    expect(findings).toMatchObject([{ problem: { kind: 'slow', where: 'read' } }]);
  });

  it('accepts a handler that was slow a single time', async () => {
    let isFirst = true;
    const { findings } = await fuzz(
      numbers(() => {
        const until = threadMs() + (isFirst ? 25 : 0);
        isFirst = false;
        while (threadMs() < until);
      }),
    );
    expect(findings).toEqual([]);
  });

  it.each([
    { what: 'a function', answer: String },
    { what: 'a function deep inside', answer: { a: [{ b: String }] } },
    { what: 'more depth than a thread can receive', answer: valueOf(nest('a', 1_000, 'leaf')) },
  ])('finds an answer that holds $what', async ({ answer }) => {
    const { problems } = await judged('read', () => answer, String);
    expect(problems).toMatchObject([{ kind: 'defect' }]);
  });

  it('finds a key assigned to the prototype of all objects, and removes the key', async () => {
    const { problems } = await judged('read', () => Object.assign(Object.prototype, { polluted: true }) && 1, String);
    expect(problems).toMatchObject([{ where: 'Object.prototype was changed', detail: 'polluted' }]);
    expect('polluted' in {}).toBe(false);
  });
});

describe('a recipe', () => {
  it('stands for long text, and for nesting too deep for JSON writers', () => {
    expect(textOf(repeat('ab', 3))).toBe('ababab');
    expect(jsonOf(nest('a', 2, 1))).toBe('{"a":{"a":1}}');
    expect(jsonOf(nest(null, 50_000, 1))).toHaveLength(100_001);
  });

  it('keeps a key __proto__ as a key', () => {
    const changed = applyMutations(
      { a: { b: {} } },
      { base: 'a', changes: [{ add: ['b'], key: '__proto__', value: 1 }] },
    );
    expect(jsonOf(changed)).toBe('{"b":{"__proto__":1}}');
  });

  it('is changed at the place that a mutation names', () => {
    const bases = { a: { b: [{ c: 1 }, 2] } };
    expect(pathsOf(bases.a)).toEqual([[], ['b'], ['b', 0], ['b', 0, 'c'], ['b', 1]]);
    const changes = [{ set: ['b', 0, 'c'], to: 'x' }, { remove: ['b', 1] }] as const;
    expect(applyMutations(bases, { base: 'a', changes })).toEqual({ b: [{ c: 'x' }] });
  });
});
