import type { MonotonicMs } from '../actor/clock.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import type { CriFault, CriOutcome } from './fault.ts';
import {
  criMethods,
  type CallerLane,
  type CriMethod,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
} from './methods.ts';

export interface CriCallOptions {
  /** The pod of the call. Its calls keep their order and are fenced against earlier incarnations of the caller. */
  readonly podUid?: string;
  /**
   * Monotonic instant at which the caller last saw the runtime's state. The call is dropped if an earlier
   * incarnation's call has created something for the pod since.
   */
  readonly observedAt?: MonotonicMs;
  /** `undefined` for the configured `runtimeRequestTimeout`. */
  readonly timeoutMs?: number;
  /**
   * Replaces the method's own lane. `hook`: a lifecycle hook may run as long as it likes, so it must not delay
   * probes. `background`: cleanup without a waiting caller, which must not delay any other call.
   */
  readonly lane?: CallerLane;
}

/** Typed CRI calls. Never rejects: a failure is an outcome. */
export interface CriClient {
  call<M extends CriMethodName>(
    method: M,
    request: CriRequest<M>,
    options?: CriCallOptions,
  ): Promise<CriOutcome<CriResponse<M>>>;
}

/** Sends the bytes of one call; the carrier is chosen elsewhere. */
export type CriByteCall = (
  method: CriMethodName,
  request: Uint8Array,
  options: CriCallOptions,
) => Promise<CriOutcome<Uint8Array>>;

/** Encodes and decodes on the caller's thread, so the gateway handles bytes only. */
export function criClient(send: CriByteCall): CriClient {
  return {
    async call(method, request, options = {}) {
      // The table pairs each method with its own codecs; only the union over all methods loses that pairing.
      const { request: encoder, response: decoder } = criMethods[method] as CriMethod<unknown, never>;
      const outcome = await send(method, encoder.encode(request).finish(), options);
      if (!outcome.ok) return outcome;
      try {
        return { ok: true, value: decoder.decode(outcome.value) };
      } catch (error) {
        const fault: CriFault = {
          code: 'DATA_LOSS',
          detail: excerpt(`the answer to ${method} is not valid: ${String(error)}`),
        };
        return { ok: false, fault };
      }
    },
  };
}
