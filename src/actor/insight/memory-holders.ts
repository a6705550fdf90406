/** Memory held by a thread, as far as V8 counts it. */
export interface ThreadMemory {
  readonly thread: string;
  readonly heapUsedBytes: number;
  /** Mostly buffers. */
  readonly externalBytes: number;
}

/** Messages that wait for actors of one kind on one thread. */
export interface WaitingMessages {
  readonly thread: string;
  readonly kind: string;
  readonly messages: number;
}

/** The holders of a process's memory, largest first. */
export interface MemoryHolders {
  /**
   * The thread that holds most, as `pods-0 (heap 12 MiB, buffers 800 MiB)`. Or the threads that may hold most, because
   * they do not answer.
   */
  readonly most: string;
  /** Every thread in the same words. */
  readonly threads: readonly string[];
  /** The fullest kinds of mailboxes. */
  readonly mailboxes: readonly string[];
  /** Resident memory that no thread accounts for: code, stacks, and memory kept by the allocator. */
  readonly unaccountedMiB: number;
}

export interface HeldMemory {
  readonly residentBytes: number;
  readonly threads: readonly ThreadMemory[];
  /** Threads that did not answer. */
  readonly silent: readonly string[];
  readonly waiting: readonly WaitingMessages[];
}

const MAILBOXES_SHOWN = 8;

export function memoryHolders({ residentBytes, threads, silent, waiting }: HeldMemory): MemoryHolders {
  const fullest = waiting
    .filter(({ messages }) => messages > 0)
    .toSorted((one, other) => other.messages - one.messages)
    .slice(0, MAILBOXES_SHOWN);
  const sorted = threads.toSorted((one, other) => heldBy(other) - heldBy(one));
  const [answered, unanswered] = [sorted.map(inWords), silent.map((name) => `${name} (does not answer)`)];
  const counted = threads.reduce((sum, thread) => sum + heldBy(thread), 0);
  // A process does not hold half its memory outside its threads. So the silent threads hold it.
  const isHidden = silent.length > 0 && counted < residentBytes / 2;
  return {
    most: isHidden ? unanswered.join(', ') : (answered[0] ?? 'none'),
    threads: [...answered, ...unanswered],
    mailboxes: fullest.map(({ thread, kind, messages }) => `${kind} on ${thread}: ${messages} messages`),
    unaccountedMiB: mebibytes(Math.max(0, residentBytes - counted)),
  };
}

export const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

const heldBy = ({ heapUsedBytes, externalBytes }: ThreadMemory): number => heapUsedBytes + externalBytes;

const inWords = ({ thread, heapUsedBytes, externalBytes }: ThreadMemory): string =>
  `${thread} (heap ${mebibytes(heapUsedBytes)} MiB, buffers ${mebibytes(externalBytes)} MiB)`;
