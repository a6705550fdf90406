import type { MonotonicMs } from '../clock.ts';
import type { Address } from '../messages/message.ts';

/** One message that was read. */
export interface FlightEntry {
  /** Instant on the monotonic scale that all threads share. */
  readonly at: MonotonicMs;
  readonly from: Address;
  readonly to: Address;
  readonly message: string;
}

/** Bytes of one entry: the instant, three lengths, and the beginnings of three texts. */
const ENTRY_BYTES = 176;
const TEXT_FROM = 12;
const FROM_BYTES = 58;
const TO_BYTES = 58;
const MESSAGE_BYTES = 48;
const ENTRIES = 256;
/** The head holds the number of entries ever written. */
const HEAD_BYTES = 8;

/** Returns the memory of a recorder. The root supervisor shares it, so that it survives the death of the thread. */
export const flightMemory = (): SharedArrayBuffer => new SharedArrayBuffer(HEAD_BYTES + ENTRIES * ENTRY_BYTES);

/**
 * Records the last messages that a thread's actors have read. The very last shows what the thread was doing when it
 * died.
 */
export class FlightRecorder {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #written: Int32Array;
  #count = 0;

  constructor(memory: SharedArrayBuffer = flightMemory()) {
    this.#bytes = Buffer.from(memory);
    this.#view = new DataView(memory);
    this.#written = new Int32Array(memory, 0, 1);
  }

  note(
    to: Address,
    mail: { readonly from: Address; readonly message: { readonly type: string } },
    at: MonotonicMs,
  ): void {
    const start = HEAD_BYTES + (this.#count % ENTRIES) * ENTRY_BYTES;
    const bytes = this.#bytes;
    this.#view.setFloat64(start, at);
    const from = start + TEXT_FROM;
    // Addresses and types are identifiers, one byte per character. Longer texts are cut.
    bytes[start + 8] = mail.from === '' ? 0 : bytes.write(mail.from, from, FROM_BYTES, 'latin1');
    bytes[start + 9] = bytes.write(to, from + FROM_BYTES, TO_BYTES, 'latin1');
    bytes[start + 10] = bytes.write(mail.message.type, from + FROM_BYTES + TO_BYTES, MESSAGE_BYTES, 'latin1');
    this.#written[0] = ++this.#count;
  }

  /** Returns the last entries, oldest first. */
  last(atMost: number = ENTRIES): readonly FlightEntry[] {
    // The constructor makes the bytes in shared memory.
    return flightEntries(this.#bytes.buffer as SharedArrayBuffer, atMost);
  }
}

/** Returns the entries of a recorder, also after its thread has died. */
export function flightEntries(memory: SharedArrayBuffer, atMost: number = ENTRIES): readonly FlightEntry[] {
  const bytes = Buffer.from(memory);
  const view = new DataView(memory);
  const [written = 0] = new Int32Array(memory, 0, 1);
  const entries: FlightEntry[] = [];
  for (let index = Math.max(0, written - Math.min(atMost, ENTRIES)); index < written; index++) {
    const start = HEAD_BYTES + (index % ENTRIES) * ENTRY_BYTES;
    const text = (offset: number, length: number | undefined): string =>
      bytes.toString('latin1', start + TEXT_FROM + offset, start + TEXT_FROM + offset + (length ?? 0));
    entries.push({
      at: view.getFloat64(start),
      from: text(0, bytes[start + 8]),
      to: text(FROM_BYTES, bytes[start + 9]),
      message: text(FROM_BYTES + TO_BYTES, bytes[start + 10]),
    });
  }
  return entries;
}
