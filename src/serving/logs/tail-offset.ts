import type { LogFile } from './log-files.ts';

const NEWLINE = 0x0a;
const BLOCK = 16_384;

/**
 * Returns where the last `lines` records of the first `size` bytes begin. A last record without a newline is added to
 * them.
 */
export async function tailOffset(file: LogFile, lines: number, size: number): Promise<number> {
  if (lines === 0) return lastRecordEnd(file, size);
  let left = size;
  let found = 0;
  const block = Buffer.allocUnsafe(BLOCK);
  while (left > 0) {
    const from = Math.max(0, left - BLOCK);
    const got = await file.read(block.subarray(0, left - from), from);
    for (let at = got - 1; at >= 0; at--) {
      if (block[at] !== NEWLINE) continue;
      // The newline before the first wanted record is one more than the number of records.
      if (found === lines) return from + at + 1;
      found++;
    }
    left = from;
  }
  return 0;
}

async function lastRecordEnd(file: LogFile, size: number): Promise<number> {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let left = size; left > 0; left = Math.max(0, left - BLOCK)) {
    const from = Math.max(0, left - BLOCK);
    const got = await file.read(block.subarray(0, left - from), from);
    const at = block.subarray(0, got).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    if (from === 0) break;
  }
  return 0;
}
