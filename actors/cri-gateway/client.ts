import type { ActorContext } from '../../src/actor/actor.ts';
import { ActorFault, hadNoEffect } from '../../src/actor/fault.ts';
import type { CriByteCall } from '../../src/cri/client.ts';
import { CRI_GATEWAY, type CriGatewayProtocol } from './protocol.ts';

/** Longer than anything an image pull may take. */
const NO_TIMEOUT_MS = 24 * 3_600_000;
/**
 * What the way to the gateway and back, and the wait for a turn there, may take on top of the call itself. More than the
 * gateway lets a call wait, so that no call is made whose caller has stopped waiting.
 */
const PASSAGE_MS = 60_000;

/** Whoever calls the runtime: one incarnation of any actor. */
export type Caller = Pick<ActorContext, 'address' | 'incarnation' | 'ref'>;

/** CRI calls of one incarnation of an actor, made through the gateway. Whatever gets lost on the way is an outcome too. */
export function criThroughGateway(context: Caller, requestTimeoutMs: number): CriByteCall {
  const gateway = context.ref<CriGatewayProtocol>(CRI_GATEWAY);
  return async (method, request, { podUid, lookedAt, timeoutMs = requestTimeoutMs, lane }) => {
    const timeout = method === 'PullImage' ? undefined : timeoutMs;
    const call = {
      type: 'call',
      method,
      request,
      caller: context.address,
      incarnation: context.incarnation,
      timeoutMs: timeout,
      ...(podUid === undefined ? {} : { podUid }),
      ...(lookedAt === undefined ? {} : { lookedAt }),
      ...(lane === undefined ? {} : { lane }),
    } as const;
    try {
      return await gateway.ask(call, { deadlineMs: (timeout ?? NO_TIMEOUT_MS) + PASSAGE_MS });
    } catch (fault) {
      // A dead incarnation has nothing left to decide.
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      const code = hadNoEffect(fault) ? 'NOT_MADE' : 'INTERRUPTED';
      return {
        ok: false,
        fault: { code, detail: `${method} did not reach the runtime or its answer was lost: ${fault.message}` },
      };
    }
  };
}
