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
  /** The pod it is done for: its calls keep their order and are fenced against earlier incarnations. */
  readonly podUid?: string;
  /**
   * Monotonic instant: it was decided on what the runtime held then. It is not made if an earlier incarnation's call has made
   * something for the pod since.
   */
  readonly lookedAt?: number;
  /** Undefined: the configured `runtimeRequestTimeout`. */
  readonly timeoutMs?: number;
  /**
   * In place of the method's own. `hook`: a command of a lifecycle hook may take as long as it likes, so it must not hold up
   * probes. `background`: tidying that nobody waits for, and that must hold up nobody.
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

/** Bytes of one call; who carries them is not this file's matter. */
export type CriByteCall = (
  method: CriMethodName,
  request: Uint8Array,
  options: CriCallOptions,
) => Promise<CriOutcome<Uint8Array>>;

/** Encodes and decodes on the caller's thread, so that the fan-in only ever handles bytes. */
export function criClient(send: CriByteCall): CriClient {
  return {
    async call(method, request, options = {}) {
      // The table pairs each method with its own codecs; only the union over all methods loses sight of that.
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
