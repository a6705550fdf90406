import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRotation, rotatedName } from '../../../actors/container-log-manager/plan-rotation.ts';

const at = (second: number): string => `0.log.20260101-0000${String(second).padStart(2, '0')}`;

describe('before a log is rotated', () => {
  it.each([
    { rule: 'there may be nothing to do', files: ['0.log'], remove: [], compress: [] },
    { rule: 'what was rotated last is compressed', files: ['0.log', at(1)], remove: [], compress: [at(1)] },
    {
      rule: 'the oldest go, so that there are as many as there may be',
      files: ['0.log', `${at(1)}.gz`, `${at(2)}.gz`, `${at(3)}.gz`, at(4)],
      remove: [`${at(1)}.gz`],
      compress: [at(4)],
    },
    {
      rule: 'what a compression that was cut off has left goes',
      files: ['0.log', `${at(1)}.7.tmp`, at(1)],
      remove: [`${at(1)}.7.tmp`],
      compress: [at(1)],
    },
    {
      rule: 'an original that has been compressed goes',
      files: ['0.log', at(1), `${at(1)}.gz`],
      remove: [at(1)],
      compress: [],
    },
    {
      rule: 'files of others stay',
      files: ['0.log', '0.log.mine', '10.log', '1.log.20260101-000000'],
      remove: [],
      compress: [],
    },
  ])('$rule', ({ files, remove, compress }) => {
    expect(planRotation(files, '0.log', 5)).toEqual({ remove, compress });
  });

  it('with two files in all nothing that was rotated earlier stays', () => {
    expect(planRotation(['0.log', at(1)], '0.log', 2)).toEqual({ remove: [at(1)], compress: [] });
  });

  it('never are there more than there may be afterwards, and never does a name come twice', () => {
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
  it('is the instant in the node’s own time', () => {
    expect(rotatedName('3.log', new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('3.log.20260102-030405');
  });
});
