/** Why a question got no answer. `ARCHITECTURE.md` documents each code. */
export const faultCodes = [
  /** The deadline passed. Whether the question had its effect is not known. */
  'deadline-exceeded',
  /** The actor that was working on it crashed or was stopped. Whether it had its effect is not known. */
  'callee-ended',
  /** The thread of the callee ended. Whether it had its effect is not known. */
  'thread-ended',
  /** It did not come to whoever it was for, or its answer got lost. Whether it had its effect is not known. */
  'question-lost',
  /** The mailbox or the way to it is full. It had no effect. */
  'overloaded',
  /** Nobody lives at this address. It had no effect. */
  'no-such-actor',
  /** The question or its answer is not plain data and cannot cross to another thread: a defect of whoever wrote it. */
  'not-plain-data',
  /** The asking actor itself has ended; nobody waits for this any more. */
  'caller-ended',
] as const;
export type FaultCode = (typeof faultCodes)[number];

/** The one kind of error that an `ask` rejects with. */
export class ActorFault extends Error {
  readonly code: FaultCode;
  constructor(code: FaultCode, detail: string) {
    super(detail);
    this.name = 'ActorFault';
    this.code = code;
  }
}

/** Whether nothing of the question can have happened, so that asking again is free of doubt. */
export const hadNoEffect = (fault: ActorFault): boolean =>
  fault.code === 'overloaded' || fault.code === 'no-such-actor';

/** The text of anything that was thrown. Never throws itself. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
  try {
    return String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}
