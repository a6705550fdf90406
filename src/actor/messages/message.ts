import type { FaultCode } from '../fault.ts';

/** `kind` or `kind/id`: `pleg`, `pod-worker/<uid>`. Names a duty, not an incarnation, so it stays over restarts. */
export type Address = string;

export const kindOf = (address: Address): string => {
  const slash = address.indexOf('/');
  return slash < 0 ? address : address.slice(0, slash);
};

/**
 * Messages are plain data tagged by `type`. A value that `structuredClone` would change does not belong in a message.
 */
export interface Tagged {
  readonly type: string;
}

/** The commands and questions of an actor. `answers` maps a question's `type` to its answer. */
export interface Protocol {
  readonly command: Tagged;
  readonly question: Tagged;
  readonly answers: object;
}

export type Answer<P extends Protocol, Q extends P['question']> = Q['type'] extends keyof P['answers']
  ? P['answers'][Q['type']]
  : never;

declare const speaks: unique symbol;

/**
 * An address that carries the protocol of its actor. It may stand for an address of a narrower protocol: an actor that
 * understands more messages understands these too.
 */
export type AddressOf<P extends Protocol> = Address & { readonly [speaks]: (protocol: P) => void };

/** Ties an address to its protocol. Only the protocol's own file does this for an actor. */
export const addressOf = <P extends Protocol>(address: Address): AddressOf<P> =>
  // The brand exists for the compiler only.
  address as AddressOf<P>;

/** The protocol of actors that receive one kind of notice, among other messages. */
export interface Listener<Notice extends Tagged> {
  readonly command: Notice;
  readonly question: never;
  readonly answers: never;
}

/** A way to reach an actor. It works the same for an actor on this thread or another. */
export interface ActorRef<P extends Protocol> {
  readonly address: AddressOf<P>;
  /**
   * Never throws, never waits. The message is lost when the receiver's thread dies before reading it, so recovery never
   * relies on it. A message to the actor itself is sent again until it is read. A later incarnation never reads it.
   */
  tell(command: P['command']): void;
  /**
   * Rejects with an `ActorFault` when the deadline passes, the callee's incarnation ends, its mailbox is full, or there
   * is no such actor. Also, a few seconds later, when the question got lost in transit. The question may still have had
   * its effect, except for `overloaded` and `no-such-actor`.
   */
  ask<Q extends P['question']>(question: Q, within: { readonly deadlineMs: number }): Promise<Answer<P, Q>>;
}

/** The format of messages between threads: small arrays, because keys would cost more than their values. */
export type Frame =
  | readonly [kind: typeof FRAME_TELL, to: Address, command: Tagged, from: Address, trace?: string]
  | readonly [
      kind: typeof FRAME_ASK,
      to: Address,
      question: Tagged,
      from: Address,
      trace: string | undefined,
      askId: number,
    ]
  | readonly [kind: typeof FRAME_ANSWER, askId: number, answer: unknown]
  | readonly [kind: typeof FRAME_FAULT, askId: number, code: FaultCode, detail: string]
  /** Asks the callee's thread if it still has these questions, which have had no answer for a while. */
  | readonly [kind: typeof FRAME_INQUIRY, askIds: readonly number[]]
  /** Reports the questions that this thread does not have. Earlier answers have left before this frame. */
  | readonly [kind: typeof FRAME_MISSING, askIds: readonly number[]];

export const FRAME_TELL = 0;
export const FRAME_ASK = 1;
export const FRAME_ANSWER = 2;
export const FRAME_FAULT = 3;
export const FRAME_INQUIRY = 4;
export const FRAME_MISSING = 5;

/** An answer whose buffers move to the asking thread instead of being copied. No other code may hold these buffers. */
export class Transferring<T> {
  readonly value: T;
  readonly buffers: readonly ArrayBuffer[];
  constructor(value: T, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}
