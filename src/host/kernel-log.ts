import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The kernel's log, read record by record. */
export interface KernelLog {
  /** Returns the next record. `undefined` when there is none yet. Never waits. */
  next(): string | undefined;
  close(): void;
}

/** Longer than any record. */
const RECORD_BYTES = 8_192;

/**
 * Opens the kernel's log at its end. `undefined` when this process may not read it. Earlier records are skipped one by
 * one, since the device allows no other way.
 */
export function openKernelLog(path = '/dev/kmsg'): KernelLog | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  const buffer = Buffer.alloc(RECORD_BYTES);
  const next = (): string | undefined => {
    for (;;) {
      try {
        const read = readSync(file, buffer);
        return read === 0 ? undefined : buffer.toString('utf8', 0, read);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code === 'EAGAIN') return undefined;
        // The next record was overwritten meanwhile. The next read continues after it.
        if (code !== 'EPIPE') throw error;
      }
    }
  };
  try {
    while (next() !== undefined);
  } catch {
    closeSync(file);
    return undefined;
  }
  return { next, close: () => closeSync(file) };
}
