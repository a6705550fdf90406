import type { Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { hadNoEffect } from '../../src/actor/fault.ts';
import type { CriByteCall } from '../../src/cri/client.ts';
import { CRI_GATEWAY } from './protocol.ts';

/** Longer than any image pull may take. */
const NO_TIMEOUT_MS = 24 * 3_600_000;
/**
 * Time for the way to the gateway and back, and for the wait for a turn there, on top of the call's own timeout. Longer
 * than the gateway lets a call wait, so that no call is made after its caller stopped waiting.
 */
const TRANSIT_MS = 60_000;

/** CRI calls that one incarnation of an actor makes through the gateway. A lost call is an outcome too. */
export function criGatewayClient(context: Caller, requestTimeoutMs: number): CriByteCall {
  const gateway = context.ref(CRI_GATEWAY);
  return (method, request, { podUid, observedAt, timeoutMs = requestTimeoutMs, lane }) => {
    const timeout = method === 'PullImage' ? undefined : timeoutMs;
    const call = {
      type: 'call',
      method,
      request,
      caller: context.address,
      incarnation: context.incarnation,
      timeoutMs: timeout,
      ...(podUid === undefined ? {} : { podUid }),
      ...(observedAt === undefined ? {} : { observedAt }),
      ...(lane === undefined ? {} : { lane }),
    } as const;
    return answerOr(gateway.ask(call, { deadlineMs: (timeout ?? NO_TIMEOUT_MS) + TRANSIT_MS }), (fault) => ({
      ok: false,
      fault: {
        code: hadNoEffect(fault) ? 'NOT_MADE' : 'INTERRUPTED',
        detail: `${method} did not reach the runtime or its answer was lost: ${fault.message}`,
      },
    }));
  };
}
