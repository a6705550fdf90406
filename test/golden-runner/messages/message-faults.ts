import { EVENT_RECORDER } from '../../../actors/event-recorder/protocol.ts';
import { CRI_GATEWAY } from '../../../actors/cri-gateway/protocol.ts';
import type { Envelope, FaultSeam, TransportFault } from '../../../src/actor/fault-seam.ts';
import { seededRandom } from '../../../src/actor/random.ts';

export const messageFaults = ['delay', 'duplicate'] as const;
export type MessageFault = (typeof messageFaults)[number];

/** At most so late is a message, each by an amount of its own: so that it is overtaken by what was sent after it, too. */
const LATEST_MS = 20;

/**
 * Does the same to every message that any actor is sent: it comes late, or twice. One seed is one plan. What a case expects
 * stays as it is: no status, call, event or order may differ, and times keep within the room that every case has. Two things
 * are not said twice, for saying them twice means that they are there twice: a call to the runtime, and an event.
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
