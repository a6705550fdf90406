import type { FaultCode } from '../actor/fault.ts';
import type { Envelope, FaultSeam, Lift, ReaderFault, TransportFault } from '../actor/fault-seam.ts';
import type { FaultEngine } from './fault-engine.ts';
import type { FaultAction } from './fault-plan.ts';

/** Longest wait of a message for another message to overtake it. */
export const REORDER_AT_MOST_MS = 1_000;

export interface MessageSeamOptions {
  /** Blocks the thread for this time, soon. The runtime itself can only block for ever. */
  readonly hangThread: (forMs: number) => void;
  /** Ends the delays of a plan. */
  readonly liftOf: (order: number) => Lift;
}

/** Returns a seam that applies a plan to messages. */
export function messageSeam(engine: FaultEngine, { hangThread, liftOf }: MessageSeamOptions): FaultSeam {
  return {
    onMessage({ to, message }: Envelope) {
      const verdict = engine.decide({ at: 'mailbox', to, message: message.type });
      if (verdict === undefined) return 'deliver';
      const { action, order } = verdict;
      if (action.type === 'hang-thread' && action.forMs !== undefined) {
        hangThread(action.forMs);
        return 'deliver';
      }
      const lift = liftOf(order);
      return readerFault(action, lift) ?? transportFault(action, lift) ?? 'deliver';
    },
    onSend({ to, message }: Envelope) {
      const verdict = engine.decide({ at: 'link', to, message: message.type });
      return (verdict && transportFault(verdict.action, liftOf(verdict.order))) ?? 'deliver';
    },
  };
}

export const ON_PURPOSE = 'made to fail by a fault plan';

function transportFault(action: FaultAction, lift: Lift): TransportFault | undefined {
  switch (action.type) {
    case 'drop':
      return { type: 'drop' };
    case 'delay':
      return { ...action, lift };
    case 'duplicate':
      return { type: 'duplicate', times: action.times ?? 1 };
    case 'reorder':
      return { type: 'reorder', atMostMs: action.atMostMs ?? REORDER_AT_MOST_MS, lift };
    case 'error':
      // The plan reader accepts only the runtime's own codes at this seam.
      return { type: 'refuse', code: action.code as FaultCode, detail: action.text ?? ON_PURPOSE };
    default:
      return undefined;
  }
}

function readerFault(action: FaultAction, lift: Lift): ReaderFault | undefined {
  switch (action.type) {
    case 'crash':
      return { type: 'throw', reason: action.reason ?? ON_PURPOSE };
    case 'hang':
      return { type: 'stall', lift, ...(action.forMs === undefined ? {} : { forMs: action.forMs }) };
    default: {
      const type = provocationOf(action);
      return type && { type };
    }
  }
}

/** Returns the runtime's name for the way a thread must fail. */
export function provocationOf(
  action: FaultAction,
): 'exit' | 'hang' | 'wait' | 'reject' | 'exhaust-heap' | 'exhaust-buffers' | undefined {
  switch (action.type) {
    case 'exit-thread':
      return 'exit';
    case 'hang-thread':
      return 'hang';
    case 'block-thread':
      return 'wait';
    case 'reject-in-thread':
      return 'reject';
    case 'exhaust-heap':
    case 'exhaust-buffers':
      return action.type;
    default:
      return undefined;
  }
}
