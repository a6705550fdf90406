import { array, assert, nat, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameSplitter } from '../../../src/api/transport/frames.ts';

const BOUNDS = { mostBytes: 8_000, mostSkipped: 20_000 };

function frame(payload: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(payload.length);
  return Buffer.concat([length, payload]);
}

/** Cuts bytes at these places. */
function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

describe('a stream of frames', () => {
  it('is split in the same way however it is cut', () => {
    assert(
      property(array(uint8Array({ maxLength: 30 })), array(nat(500)), (payloads, places) => {
        const splitter = new FrameSplitter(BOUNDS);
        const chunks = cut(Buffer.concat(payloads.map(frame)), places);
        const frames = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
        expect(frames).toEqual(payloads.map((each) => Buffer.from(each)));
        expect(splitter.isCutShort).toBe(false);
      }),
    );
  });

  it.each([1, 3, 4, 100, 5_000])(
    'passes over an overlong frame in chunks of %i bytes, and keeps its beginning',
    (size) => {
      const long = Buffer.alloc(9_000, 'x');
      const stream = Buffer.concat([frame(Buffer.from('a')), frame(long), frame(Buffer.from('b'))]);
      const splitter = new FrameSplitter(BOUNDS);
      const frames = cut(
        stream,
        Array.from({ length: Math.ceil(stream.length / size) }, (_, index) => index * size),
      ).flatMap((chunk) => [...splitter.push(chunk)]);
      expect(frames).toEqual([Buffer.from('a'), { beginning: long.subarray(0, 4_096) }, Buffer.from('b')]);
    },
  );

  it('is broken where a length is beyond all bounds', () => {
    const splitter = new FrameSplitter(BOUNDS);
    expect(() => [...splitter.push(Buffer.from('{"type":"ADDED"}'))]).toThrow('a frame claims to have');
  });

  it.each([1, 4, 5])('with %i bytes of a frame is cut short', (bytes) => {
    const splitter = new FrameSplitter(BOUNDS);
    expect([...splitter.push(frame(Buffer.from('abc')).subarray(0, bytes))]).toEqual([]);
    expect(splitter.isCutShort).toBe(true);
  });
});
