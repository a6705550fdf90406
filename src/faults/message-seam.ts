import type { FaultCode } from '../actor/fault.ts';
import type { Envelope, FaultSeam, ReaderFault, TransportFault } from '../actor/fault-seam.ts';
import type { FaultEngine } from './fault-engine.ts';
import type { FaultAction } from './fault-plan.ts';

/** Longest wait of a message for another one to overtake it. */
export const REORDER_AT_MOST_MS = 1_000;

/** Applies a plan to messages. `hangThread` holds up the thread for so long, soon: the runtime itself only knows for ever. */
export function messageSeam(engine: FaultEngine, hangThread: (forMs: number) => void): FaultSeam {
  return {
    onMessage({ to, message }: Envelope) {
      const verdict = engine.decide({ at: 'mailbox', to, message: message.type });
      if (verdict === undefined) return 'deliver';
      const { action } = verdict;
      if (action.type === 'hang-thread' && action.forMs !== undefined) {
        hangThread(action.forMs);
        return 'deliver';
      }
      return readerFault(action) ?? transportFault(action) ?? 'deliver';
    },
    onSend({ to, message }: Envelope) {
      const verdict = engine.decide({ at: 'link', to, message: message.type });
      return (verdict && transportFault(verdict.action)) ?? 'deliver';
    },
  };
}

export const ON_PURPOSE = 'made to fail by a fault plan';

function transportFault(action: FaultAction): TransportFault | undefined {
  switch (action.type) {
    case 'drop':
      return { type: 'drop' };
    case 'delay':
      return action;
    case 'duplicate':
      return { type: 'duplicate', times: action.times ?? 1 };
    case 'reorder':
      return { type: 'reorder', atMostMs: action.atMostMs ?? REORDER_AT_MOST_MS };
    case 'error':
      // Plans are read so that at this seam it is one of the runtime's own codes.
      return { type: 'refuse', code: action.code as FaultCode, detail: action.text ?? ON_PURPOSE };
    default:
      return undefined;
  }
}

function readerFault(action: FaultAction): ReaderFault | undefined {
  switch (action.type) {
    case 'crash':
      return { type: 'throw', reason: action.reason ?? ON_PURPOSE };
    case 'hang':
      return { type: 'stall', ...(action.forMs === undefined ? {} : { forMs: action.forMs }) };
    default: {
      const type = provocationOf(action);
      return type && { type };
    }
  }
}

/** How the runtime calls what is to become of a thread. */
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
