import { EVENT_RECORDER } from '../../../actors/event-recorder/protocol.ts';
import { CRI_GATEWAY } from '../../../actors/cri-gateway/protocol.ts';
import type { Envelope, FaultSeam, TransportFault } from '../../../src/actor/fault-seam.ts';
import { seededRandom } from '../../../src/actor/random.ts';

export const messageFaults = ['delay', 'duplicate'] as const;
export type MessageFault = (typeof messageFaults)[number];

/** The longest delay of a message. Each delay is random, so later messages may overtake earlier ones. */
const LATEST_MS = 20;

/**
 * Delays or duplicates every message between actors. One seed is one plan. The case's expectations do not change: no
 * status, call, event or order may differ, and times keep within the case's bounds. Two messages are never duplicated,
 * because their duplicate is a second real effect: a call to the runtime, and an event.
 */
export function everyMessage(fault: MessageFault, seed: number): FaultSeam {
  const random = seededRandom(seed);
  const decide = ({ to, message }: Envelope): TransportFault | 'deliver' => {
    if (fault === 'delay') return { type: 'delay', delayMs: random() * LATEST_MS };
    const counts = (to === CRI_GATEWAY && message.type === 'call') || to === EVENT_RECORDER;
    return counts ? 'deliver' : { type: 'duplicate', times: 1 };
  };
  return { onMessage: decide, onSend: () => 'deliver' };
}
