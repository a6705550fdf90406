import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The kernel's log, read record by record. */
export interface KernelLog {
  /** The next record; undefined: there is none yet. Never waits. */
  next(): string | undefined;
  close(): void;
}

/** Longer than any record. */
const RECORD_BYTES = 8_192;

/**
 * Opens the kernel's log at its end; undefined where this process may not. What was written before is passed over record by
 * record, which is what the device can do.
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
        // What was to be read next has been overwritten meanwhile: the next read goes on behind it.
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
