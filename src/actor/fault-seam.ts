import type { FaultCode } from './fault.ts';
import type { Address, Tagged } from './messages/message.ts';

/** A message on its way, as the seam sees it. Valid during the call only, and not to be changed. */
export interface Envelope {
  /** The thread that looks at it: at the mailbox the receiver's, at the link the sender's. */
  readonly thread: string;
  /** Empty when it was sent from outside any actor. */
  readonly from: Address;
  readonly to: Address;
  readonly message: Tagged;
  /** Whether the sender waits for an answer. */
  readonly question: boolean;
}

/** Ends early what a fault holds back: the plan that it is done for is taken back. */
export interface Lift {
  /** `release` is called then, once; the returned function forgets it. */
  add(release: () => void): () => void;
}

/** What can be done to a message on its way, at the mailbox and at the link alike. */
export type TransportFault =
  /** It vanishes. A tell is counted as a dead letter; an ask ends as lost some seconds later. */
  | { readonly type: 'drop' }
  /** It goes on so much later. Messages behind it overtake it. */
  | { readonly type: 'delay'; readonly delayMs: number; readonly lift?: Lift }
  /** It arrives `times` more often. The first answer counts. */
  | { readonly type: 'duplicate'; readonly times: number }
  /** The next message from here to the same address overtakes it; when none comes, it goes on after `atMostMs`. */
  | { readonly type: 'reorder'; readonly atMostMs: number; readonly lift?: Lift }
  /** An ask ends with this fault at once and is not delivered. For a tell the same as `drop`. */
  | { readonly type: 'refuse'; readonly code: FaultCode; readonly detail: string };

/** What can be done to whoever is about to read a message. */
export type ReaderFault =
  /** The actor crashes as it reads it. */
  | { readonly type: 'throw'; readonly reason: string }
  /** The actor reads nothing for so long, this message included. Without `forMs` until its incarnation ends. */
  | { readonly type: 'stall'; readonly forMs?: number; readonly lift?: Lift }
  /** The thread is made to fail as it is delivered: see `Provocation`. */
  | { readonly type: 'exit' }
  | { readonly type: 'hang' }
  | { readonly type: 'wait' }
  | { readonly type: 'reject' }
  | { readonly type: 'exhaust-heap' }
  | { readonly type: 'exhaust-buffers' };

/**
 * Where faults enter the actor runtime. A host without one (the normal case) tests one field a message and nothing else.
 * Called synchronously for every message; it decides, the runtime does. It never throws.
 */
export interface FaultSeam {
  /** A message has arrived for an actor of this thread and is about to be put into its mailbox. Not asked again of what it delayed. */
  onMessage(envelope: Envelope): 'deliver' | TransportFault | ReaderFault;
  /** A message is about to leave for another thread. Answers are not asked about. */
  onSend(envelope: Envelope): 'deliver' | TransportFault;
}
