import type { CriCallOptions, CriClient } from '../../src/cri/client.ts';
import type { CriFault, CriFaultCode, CriOutcome } from '../../src/cri/fault.ts';
import {
  CreateContainerResponse,
  ExecSyncResponse,
  ImageStatusResponse,
  PullImageResponse,
  RunPodSandboxResponse,
} from '../../src/cri/gen/api.ts';
import type { CriMethodName, CriRequest, CriResponse } from '../../src/cri/methods.ts';

export interface MadeCall<M extends CriMethodName = CriMethodName> {
  readonly method: M;
  readonly request: CriRequest<M>;
  readonly options: CriCallOptions;
}

/** The script chooses the answer of each method. */
type Answer = CriOutcome<object> | Promise<CriOutcome<object>> | CriFaultCode | undefined;
type Script = { [M in CriMethodName]?: (call: MadeCall<M>, times: number) => Answer };

export const criFault = (code: CriFaultCode, detail = `it said ${code}`): { ok: false; fault: CriFault } => ({
  ok: false,
  fault: { code, detail },
});

/**
 * A runtime that records its calls and does nothing. Every call succeeds, with IDs counted up per method, unless the
 * script has another outcome: an outcome, a promise of one, a fault's code, or undefined for the usual.
 */
export class FakeCriClient implements CriClient {
  readonly calls: MadeCall[] = [];
  script: Script;
  readonly #times = new Map<CriMethodName, number>();

  constructor(script: Script = {}) {
    this.script = script;
  }

  async call<M extends CriMethodName>(
    method: M,
    request: CriRequest<M>,
    options: CriCallOptions = {},
  ): Promise<CriOutcome<CriResponse<M>>> {
    const call: MadeCall<M> = { method, request, options };
    // The list holds calls of all methods, distinguished by the method.
    this.calls.push(call);
    const times = (this.#times.get(method) ?? 0) + 1;
    this.#times.set(method, times);
    const scripted = await this.script[method]?.(call, times);
    if (typeof scripted === 'string') return criFault(scripted);
    return (scripted ?? { ok: true, value: usualAnswer(method, times) }) as CriOutcome<CriResponse<M>>;
  }

  get methods(): readonly CriMethodName[] {
    return this.calls.map(({ method }) => method);
  }

  /** The requests of one method, in order. */
  requests<M extends CriMethodName>(method: M): readonly CriRequest<M>[] {
    return this.of(method).map(({ request }) => request);
  }

  of<M extends CriMethodName>(method: M): readonly MadeCall<M>[] {
    return this.calls.filter((call) => call.method === method) as unknown as readonly MadeCall<M>[];
  }
}

function usualAnswer(method: CriMethodName, times: number): unknown {
  switch (method) {
    case 'RunPodSandbox':
      return RunPodSandboxResponse.fromPartial({ podSandboxId: `new-sandbox-${times}` });
    case 'CreateContainer':
      return CreateContainerResponse.fromPartial({ containerId: `new-container-${times}` });
    case 'ImageStatus':
      return ImageStatusResponse.fromPartial({ image: { id: 'sha256:1', uid: { value: 1000n }, size: 5n } });
    case 'PullImage':
      return PullImageResponse.fromPartial({ imageRef: 'sha256:1' });
    case 'ExecSync':
      return ExecSyncResponse.fromPartial({});
    default:
      return {};
  }
}
