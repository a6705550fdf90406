import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { openCases } from './open-cases.ts';
import { runCase } from './run-case.ts';

const cases = findCases(join(import.meta.dirname, '../golden/cri'));

describe('the CRI requests for a pod match those of a recorded kubelet', () => {
  it.each(cases.filter(({ name }) => !openCases.has(name)))('$name', async (found) => {
    const { differences, result } = await runCase(found);
    expect(differences).toEqual([]);
    expect(result).toBe('pass');
  });
});

describe('a case in the list of open cases', () => {
  it.each(cases.filter(({ name }) => openCases.has(name)))('still differs: $name', async (found) => {
    expect((await runCase(found)).result).toBe('fail');
  });

  it('is a recorded case', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect([...openCases].filter((name) => !names.has(name))).toEqual([]);
  });
});
