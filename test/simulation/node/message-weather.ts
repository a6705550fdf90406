import type { Envelope, FaultSeam, TransportFault } from '../../../src/actor/fault-seam.ts';
import { kindOf } from '../../../src/actor/messages/message.ts';
import type { Random } from '../../../src/actor/random.ts';

/** A temporary fault of messages to an actor, or to all actors of a kind. */
export interface MessageTrouble {
  /** An address or a kind. */
  readonly to: string;
  readonly at: 'mailbox' | 'link';
  readonly how: 'drop' | 'delay' | 'duplicate' | 'reorder';
  /** The share of messages that it hits. */
  readonly rate: number;
  readonly delayMs: number;
  /** The number of messages that it may still hit. */
  left: number;
}

/** Loses, delays, repeats and reorders messages on their way to actors, as fault plans do on real threads. */
export class MessageWeather {
  troubles: readonly MessageTrouble[] = [];
  readonly #random: Random;
  readonly #note: (envelope: Envelope, how: string) => void;

  constructor(random: Random, note: (envelope: Envelope, how: string) => void) {
    this.#random = random;
    this.#note = note;
  }

  readonly seam: FaultSeam = {
    onMessage: (envelope) => this.#befalls('mailbox', envelope),
    onSend: (envelope) => this.#befalls('link', envelope),
  };

  #befalls(at: MessageTrouble['at'], envelope: Envelope): 'deliver' | TransportFault {
    if (this.troubles.length === 0) return 'deliver';
    const { to } = envelope;
    const trouble = this.troubles.find(
      (each) => each.at === at && (each.to === to || each.to === kindOf(to)) && each.left > 0,
    );
    if (trouble === undefined || this.#random() >= trouble.rate) return 'deliver';
    trouble.left--;
    const { how, delayMs } = trouble;
    this.#note(envelope, how);
    return faults[how](delayMs);
  }
}

const faults: Readonly<Record<MessageTrouble['how'], (delayMs: number) => TransportFault>> = {
  drop: () => ({ type: 'drop' }),
  delay: (delayMs) => ({ type: 'delay', delayMs }),
  duplicate: () => ({ type: 'duplicate', times: 1 }),
  reorder: () => ({ type: 'reorder', atMostMs: 1_000 }),
};
