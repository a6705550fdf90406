import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { KeptCase } from './kept-case.ts';
import { withTimeBound } from './oracle.ts';
import type { Bench, Target } from './target.ts';
import { targetNamed, targetNames } from './targets.ts';

const cases = new URL('./cases/', import.meta.url);
const keptOf = (target: string): readonly (KeptCase & { readonly file: string })[] =>
  readdirSync(new URL(`${target}/`, cases)).map((file) => ({
    // Only the fuzzer and its developers write these files.
    ...(JSON.parse(readFileSync(new URL(`${target}/${file}`, cases), 'utf8')) as KeptCase),
    file: file.replace('.json', ''),
  }));

const kept = readdirSync(cases);

it('every folder of kept cases belongs to a target', () => {
  expect(targetNames).toEqual(expect.arrayContaining(kept));
});

describe.each(kept)('an earlier finding with %s', (name) => {
  const target: Target = targetNamed(name);
  let bench: Bench<unknown> | undefined;
  afterAll(() => bench?.close());

  it.each(keptOf(name))('$file: $shows', { timeout: 60_000 }, async ({ case: given, target: of }) => {
    expect(of).toBe(name);
    bench ??= await target.open();
    const first = withTimeBound(await bench.run(given), target.allowedMs);
    // The second run needs no compilation.
    const isSlow = first.problems.some(({ kind }) => kind === 'slow');
    const { problems } = isSlow ? withTimeBound(await bench.run(given), target.allowedMs) : first;
    expect(problems).toEqual([]);
  });
});
