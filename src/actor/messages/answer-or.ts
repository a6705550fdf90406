import { ActorFault } from '../fault.ts';

/**
 * Returns the answer to a question, or the result of `lost` when no answer came. Rejects only with a defect, or when
 * the asking incarnation has ended and has nothing left to decide.
 */
export const answerOr = <T, L>(asked: Promise<T>, lost: (fault: ActorFault) => L): Promise<T | L> =>
  asked.catch((fault: unknown) => {
    if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
    return lost(fault);
  });

/**
 * Asks a question that may safely be repeated. Retries up to `tries` times while the question is lost with an
 * incarnation or a thread of the callee. Then, or after any other fault, acts as `answerOr`.
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

/** Distinguishes a fault from an answer of any type. */
class Lost {
  readonly fault: ActorFault;
  constructor(fault: ActorFault) {
    this.fault = fault;
  }
}
