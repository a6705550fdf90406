import type { Provocation } from './thread-control.ts';

const EXTERNAL_CHUNK_BYTES = 16 * 1024 * 1024;
/**
 * A quarter of a GiB in one piece. When no further piece fits, V8 cannot end the thread alone. Longer arrays (from 2^25
 * elements on) are copied bit by bit, and then V8 can.
 */
const HUGE_PIECE_NUMBERS = 32_000_000;
/** Lasts as long as the thread. */
const kept: unknown[] = [];

/** Makes this thread fail. The current work finishes first, so that the requesting call is answered. */
export function provoke(how: Provocation): void {
  setImmediate(() => fail(how));
}

function fail(how: Provocation): void {
  switch (how) {
    case 'exit':
      process.exit(1);
    // oxlint-disable-next-line no-fallthrough -- the exit above never returns
    case 'throw':
      throw new Error('thread made to fail on purpose');
    case 'reject':
      void Promise.reject(new Error('thread made to fail on purpose'));
      return;
    case 'hang':
      for (;;);
    case 'wait':
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return;
    case 'exhaust-heap':
      for (;;) kept.push({ crumb: kept.length });
    case 'exhaust-buffers':
      // Grows bit by bit, until the supervisor ends the thread. One large allocation could end the whole process.
      kept.push(Buffer.alloc(EXTERNAL_CHUNK_BYTES, 1));
      setImmediate(() => fail(how));
      return;
    case 'abort': {
      const piece = [0.5];
      piece.length = HUGE_PIECE_NUMBERS;
      piece.fill(0.5);
      for (;;) kept.push(piece.slice());
    }
  }
}
