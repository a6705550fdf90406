import { describe, expect, it } from 'vitest';
import { pemBlocks } from '../../../src/kube/text/pem-blocks.ts';

const block = (type: string, body: string): string => `-----BEGIN ${type}-----${body}-----END ${type}-----`;

describe('the blocks of a PEM text', () => {
  it.each<{ rule: string; text: string; are: readonly string[] }>([
    { rule: 'are absent from a text without blocks', text: 'certificates', are: [] },
    {
      rule: 'are in order, with any text around them',
      text: `a${block('A', '1')}\n${block('B', '2')}b`,
      are: ['A:1', 'B:2'],
    },
    { rule: 'may be empty', text: block('A', ''), are: ['A:'] },
    { rule: 'may have spaces and digits in their type', text: block('EC KEY 2', '1'), are: ['EC KEY 2:1'] },
    { rule: 'need a type', text: block('', '1'), are: [] },
    { rule: 'need a type in upper case', text: block('a', '1'), are: [] },
    { rule: 'need an end of their type', text: `-----BEGIN A-----1-----END B-----`, are: [] },
    { rule: 'end with the first end of their type', text: `${block('A', '1')}2-----END A-----`, are: ['A:1'] },
    {
      rule: 'hold the text between the markers',
      text: `-----BEGIN A-----${block('B', '1')}-----END A-----`,
      are: [`A:${block('B', '1')}`],
    },
    { rule: 'are found behind a beginning without end', text: `-----BEGIN X-----${block('A', '1')}`, are: ['A:1'] },
    { rule: 'are not ended by an earlier end marker', text: `-----END A----------BEGIN A-----1`, are: [] },
    { rule: 'need all dashes', text: `-----BEGIN A----1-----END A-----`, are: [] },
  ])('$rule', ({ text, are }) => {
    expect(pemBlocks(text).map(({ type, body }) => `${type}:${body}`)).toEqual(are);
  });

  it('know where they are', () => {
    const [one] = pemBlocks(`a ${block('A', '1')} b`);
    expect(`a ${block('A', '1')} b`.slice(one?.start, one?.end)).toBe(block('A', '1'));
  });
});
