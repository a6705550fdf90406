import type { FaultCode } from './fault.ts';
import type { Address, Tagged } from './messages/message.ts';

/** A message in transit, as the fault seam sees it. Valid during the call only. Must not be changed. */
export interface Envelope {
  /** The thread that inspects the message: the receiver's at the mailbox, the sender's at the link. */
  readonly thread: string;
  /** Empty when the sender is no actor. */
  readonly from: Address;
  readonly to: Address;
  readonly message: Tagged;
  /** `true` if the sender waits for an answer. */
  readonly question: boolean;
}

/** Ends a delay early, when the plan behind it is removed. */
export interface Lift {
  /** Calls `release` once when the plan is removed. The returned function unregisters `release`. */
  add(release: () => void): () => void;
}

/** Faults for a message in transit, at the mailbox and at the link alike. */
export type TransportFault =
  /** Loses the message. A tell is counted as a dead letter; an ask ends as lost some seconds later. */
  | { readonly type: 'drop' }
  /** Delays the message. Messages behind it overtake it. */
  | { readonly type: 'delay'; readonly delayMs: number; readonly lift?: Lift }
  /** Delivers the message `times` more often. The first answer counts. */
  | { readonly type: 'duplicate'; readonly times: number }
  /**
   * Lets the next message from here to the same address overtake this one. When none comes, the message is delivered
   * after `atMostMs`.
   */
  | { readonly type: 'reorder'; readonly atMostMs: number; readonly lift?: Lift }
  /** Ends an ask with this fault at once, without delivery. A tell is treated as by `drop`. */
  | { readonly type: 'refuse'; readonly code: FaultCode; readonly detail: string };

/** Faults for the actor that is about to read a message. */
export type ReaderFault =
  /** The actor crashes while it reads the message. */
  | { readonly type: 'throw'; readonly reason: string }
  /** The actor reads nothing for `forMs`, this message included. Without `forMs`, until its incarnation ends. */
  | { readonly type: 'stall'; readonly forMs?: number; readonly lift?: Lift }
  /** The thread fails when the message is delivered: see `Provocation`. */
  | { readonly type: 'exit' }
  | { readonly type: 'hang' }
  | { readonly type: 'wait' }
  | { readonly type: 'reject' }
  | { readonly type: 'exhaust-heap' }
  | { readonly type: 'exhaust-buffers' };

/**
 * Where faults enter the actor runtime. A host without a seam (the normal case) tests one field per message. The seam
 * is called synchronously for every message and decides; the runtime acts. It never throws.
 */
export interface FaultSeam {
  /**
   * Called when a message has arrived for an actor of this thread, before it enters the mailbox. Not called again for a
   * message that the seam delayed.
   */
  onMessage(envelope: Envelope): 'deliver' | TransportFault | ReaderFault;
  /** Called before a message leaves for another thread. Not called for answers. */
  onSend(envelope: Envelope): 'deliver' | TransportFault;
}
