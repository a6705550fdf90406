import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRotation, rotatedName } from '../../../actors/container-log-manager/plan-rotation.ts';

const at = (second: number): string => `0.log.20260101-0000${String(second).padStart(2, '0')}`;

describe('before a log is rotated', () => {
  it.each([
    { rule: 'nothing happens without rotated files', files: ['0.log'], remove: [], compress: [] },
    { rule: 'the last rotated file is compressed', files: ['0.log', at(1)], remove: [], compress: [at(1)] },
    {
      rule: 'the oldest files are removed down to the limit',
      files: ['0.log', `${at(1)}.gz`, `${at(2)}.gz`, `${at(3)}.gz`, at(4)],
      remove: [`${at(1)}.gz`],
      compress: [at(4)],
    },
    {
      rule: 'leftovers of an interrupted compression are removed',
      files: ['0.log', `${at(1)}.7.tmp`, at(1)],
      remove: [`${at(1)}.7.tmp`],
      compress: [at(1)],
    },
    {
      rule: 'the original of a compressed file is removed',
      files: ['0.log', at(1), `${at(1)}.gz`],
      remove: [at(1)],
      compress: [],
    },
    {
      rule: 'other files stay',
      files: ['0.log', '0.log.mine', '10.log', '1.log.20260101-000000'],
      remove: [],
      compress: [],
    },
  ])('$rule', ({ files, remove, compress }) => {
    expect(planRotation(files, '0.log', 5)).toEqual({ remove, compress });
  });

  it('with a limit of two files no earlier rotated file stays', () => {
    expect(planRotation(['0.log', at(1)], '0.log', 2)).toEqual({ remove: [at(1)], compress: [] });
  });

  it('the limit holds afterwards, and no name is planned twice', () => {
    const seconds = array(integer({ min: 0, max: 59 }));
    const ending = constantFrom('', '.gz', '.1.tmp');
    assert(
      property(array(ending), seconds, integer({ min: 2, max: 6 }), (endings, all, maxFiles) => {
        const files = [...new Set(['0.log', ...all.map((second, index) => `${at(second)}${endings[index] ?? ''}`)])];
        const { remove, compress } = planRotation(files, '0.log', maxFiles);
        const left = files
          .filter((name) => !remove.includes(name))
          .map((name) => (compress.includes(name) ? `${name}.gz` : name));
        expect(new Set(left).size).toBe(left.length);
        // The log is two by then.
        expect(left.length + 1).toBeLessThanOrEqual(Math.max(maxFiles, 2));
      }),
    );
  });
});

describe('the name of a rotated log', () => {
  it('is the node’s local time', () => {
    expect(rotatedName('3.log', new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('3.log.20260102-030405');
  });
});
