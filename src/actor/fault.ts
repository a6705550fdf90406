/** The reasons why a question got no answer. `ARCHITECTURE.md` documents each code. */
export const faultCodes = [
  /** The deadline passed. It is unknown if the question had its effect. */
  'deadline-exceeded',
  /** The callee crashed or stopped while working on the question. It is unknown if the question had its effect. */
  'callee-ended',
  /** The thread of the callee ended. It is unknown if the question had its effect. */
  'thread-ended',
  /** The question did not arrive, or its answer got lost. It is unknown if the question had its effect. */
  'question-lost',
  /** The mailbox or the link to it is full. The question had no effect. */
  'overloaded',
  /** No actor lives at this address. The question had no effect. */
  'no-such-actor',
  /** The question or its answer is not plain data and cannot cross to another thread: a defect of its sender. */
  'not-plain-data',
  /** The asking incarnation has ended. No caller waits for the answer any more. */
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

/** `true` if the question certainly had no effect, so that repeating it is safe. */
export const hadNoEffect = (fault: ActorFault): boolean =>
  fault.code === 'overloaded' || fault.code === 'no-such-actor';

/** The text of anything that was thrown. Never throws itself. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
  try {
    return String(error);
  } catch {
    return 'error that cannot be printed';
  }
}
