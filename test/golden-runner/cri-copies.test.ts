import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { openCases } from './open-cases.ts';
import { runCase } from './run-case.ts';

const cases = findCases(join(import.meta.dirname, '../golden/cri'));

describe('what is asked of a runtime for a pod is as recorded of a kubelet', () => {
  it.each(cases.filter(({ name }) => !openCases.has(name)))('$name', async (found) => {
    const { differences, result } = await runCase(found);
    expect(differences).toEqual([]);
    expect(result).toBe('pass');
  });
});

describe('what is still open', () => {
  it.each(cases.filter(({ name }) => openCases.has(name)))('is open indeed: $name', async (found) => {
    expect((await runCase(found)).result).toBe('fail');
  });

  it('is one of the recordings', () => {
    const names = new Set(cases.map(({ name }) => name));
    expect([...openCases].filter((name) => !names.has(name))).toEqual([]);
  });
});
