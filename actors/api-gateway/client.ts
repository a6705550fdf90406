import { ActorFault } from '../../src/actor/fault.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import { API_GATEWAY, type ApiGatewayProtocol } from './protocol.ts';
import type { Caller } from '../cri-gateway/client.ts';

/** How long a call may wait for its turn in the gateway. */
const PASSAGE_MS = 60_000;

/** Calls to the API server of one incarnation of an actor, made through the gateway. What gets lost on the way is an outcome too. */
export function apiThroughGateway(context: Caller, timeoutMs: number): ApiCall {
  const gateway = context.ref<ApiGatewayProtocol>(API_GATEWAY);
  return async (request) => {
    try {
      return await gateway.ask({ type: 'call', request, timeoutMs }, { deadlineMs: timeoutMs + PASSAGE_MS });
    } catch (fault) {
      // A dead incarnation has nothing left to decide.
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      const message = `${request.verb} ${request.path} did not reach the API server or its answer was lost: ${fault.message}`;
      return { ok: false, fault: { kind: 'not-sent', message } };
    }
  };
}
