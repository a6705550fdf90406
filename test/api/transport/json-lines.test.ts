import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../src/api/transport/json-lines.ts';

const pieces = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
};

describe('a stream split into lines', () => {
  it('gives the same lines for any chunks of bytes', () => {
    const line = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), fc.array(fc.nat(), { maxLength: 30 }), (lines, cuts) => {
        const splitter = new LineSplitter(10_000);
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        expect(pieces(bytes, cuts).flatMap((piece) => splitter.push(piece))).toEqual(lines);
        expect(splitter.isCutShort).toBe(false);
      }),
    );
  });

  it('leaves out empty lines', () => {
    expect(new LineSplitter(100).push(Buffer.from('\n{}\n\n{}\n'))).toEqual(['{}', '{}']);
  });

  it('keeps a line without its end', () => {
    const splitter = new LineSplitter(100);
    splitter.push(Buffer.from('{}\n{"a"'));
    expect(splitter.isCutShort).toBe(true);
  });

  it('limits the length of a line, and continues with the next', () => {
    const splitter = new LineSplitter(100);
    expect(splitter.push(Buffer.alloc(99, 'x'))).toEqual([]);
    for (let part = 0; part < 1_000; part += 1) expect(splitter.push(Buffer.alloc(2, 'x'))).toEqual([]);
    expect(splitter.isCutShort).toBe(true);
    const beginning = 'x'.repeat(101);
    expect(splitter.push(Buffer.from('x\n{}\n'))).toEqual([{ beginning }, '{}']);
    expect(splitter.isCutShort).toBe(false);
  });

  it('keeps only the beginning of a line that is too long', () => {
    const [line] = new LineSplitter(100).push(Buffer.from(`${'x'.repeat(100_000)}\n`));
    expect(line).toEqual({ beginning: 'x'.repeat(4_096) });
  });
});
