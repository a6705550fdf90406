import type { Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import { API_GATEWAY } from './protocol.ts';

/** The longest that a call may wait for its turn in the gateway. */
const TRANSIT_MS = 60_000;
/** Default for the time that the API server may take for one call. */
export const API_CALL_MS = 30_000;

/**
 * Calls that one incarnation of an actor makes to the API server through the gateway. A lost call is an outcome too.
 */
export function apiGatewayClient(context: Caller, timeoutMs: number): ApiCall {
  const gateway = context.ref(API_GATEWAY);
  return (request) =>
    answerOr(gateway.ask({ type: 'call', request, timeoutMs }, { deadlineMs: timeoutMs + TRANSIT_MS }), (fault) => ({
      ok: false,
      fault: {
        kind: 'not-sent',
        message: `${request.verb} ${request.path} did not reach the API server or its answer was lost: ${fault.message}`,
      },
    }));
}
