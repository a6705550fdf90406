import { ActorFault } from '../fault.ts';

/**
 * The answer of a question, or what `lost` makes of the fault when no answer came. Rejects only when the asking
 * incarnation has ended, which has nothing left to decide, or with a defect.
 */
export async function answerOr<T, L>(asked: Promise<T>, lost: (fault: ActorFault) => L): Promise<T | L> {
  try {
    return await asked;
  } catch (fault) {
    if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
    return lost(fault);
  }
}

/**
 * Asks a question that may be asked twice, up to `tries` times while it is lost with an incarnation or a thread of the
 * callee. Then, or after any other fault, as `answerOr`.
 */
export async function askAgain<T, L>(
  ask: () => Promise<T>,
  { tries, lost }: { readonly tries: number; readonly lost: (fault: ActorFault) => L },
): Promise<T | L> {
  for (let left = tries; ; left -= 1) {
    const answer = await answerOr(ask(), (fault) => new Lost(fault));
    if (!(answer instanceof Lost)) return answer;
    if (left <= 1 || !isLost(answer.fault)) return lost(answer.fault);
  }
}

const isLost = ({ code }: ActorFault): boolean => code === 'callee-ended' || code === 'thread-ended';

/** Tells a fault from an answer of any type. */
class Lost {
  readonly fault: ActorFault;
  constructor(fault: ActorFault) {
    this.fault = fault;
  }
}
