import { addressOf, type Address, type Tagged } from '../../src/actor/messages/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { CallerLane, CriMethodName } from '../../src/cri/methods.ts';

/** What the CRI gateway can be told. All of it comes from itself. */
export type CriGatewayCommand =
  | { readonly type: 'check-runtime' }
  | { readonly type: 'runtime-checked'; readonly outcome: RuntimeCheck }
  | { readonly type: 'event-stream-ended'; readonly fault: CriFault }
  | { readonly type: 'open-event-stream' };

/** One call to the runtime, as bytes. The answer is an outcome; the ask itself fails only as any ask may. */
export interface CriCall extends Tagged {
  readonly type: 'call';
  readonly method: CriMethodName;
  readonly request: Uint8Array;
  /** The pod it is done for. Without it a call is neither ordered nor fenced. */
  readonly podUid?: string;
  /** Who does it. */
  readonly caller: Address;
  /**
   * Fences effects: nothing is created for a pod while calls for it of an earlier incarnation of the same caller are under
   * way. A call that had to wait for that is not made any more: it was decided on before they had their effect, so it is
   * answered with `INTERRUPTED`, and the caller looks again.
   */
  readonly incarnation: number;
  /**
   * Monotonic instant at which the runtime was looked at. A call that creates is answered with `INTERRUPTED` if, since then,
   * one of an earlier incarnation has ended: what that made was not seen.
   */
  readonly lookedAt?: number;
  /** Undefined: as long as it takes. */
  readonly timeoutMs: number | undefined;
  /** In place of the method's own lane. */
  readonly lane?: CallerLane;
}

export type CriGatewayQuestion = CriCall | { readonly type: 'runtime-health' };

export interface CriGatewayProtocol {
  readonly command: CriGatewayCommand;
  readonly question: CriGatewayQuestion;
  readonly answers: {
    readonly call: CriOutcome<Uint8Array>;
    readonly 'runtime-health': RuntimeHealth;
  };
}

export const CRI_GATEWAY = addressOf<CriGatewayProtocol>('cri-gateway');

/** Whether the runtime answers. Until the first answer it is `connecting`. Instants are wall-clock milliseconds. */
export type RuntimeHealth =
  | { readonly state: 'connecting' }
  | { readonly state: 'up'; readonly since: number; readonly runtime: RuntimeFacts }
  | { readonly state: 'down'; readonly since: number; readonly fault: CriFault };

export interface RuntimeFacts {
  readonly name: string;
  readonly version: string;
  readonly runtimeReady: boolean;
  /** Empty when the network is ready, otherwise the runtime's reason: no pod with its own network may start. */
  readonly networkNotReady: string;
}

export type RuntimeCheck =
  { readonly ok: true; readonly facts: RuntimeFacts } | { readonly ok: false; readonly fault: CriFault };

/** What the gateway tells those who wait for it: PLEG, and every pod worker. */
export type RuntimeHealthChanged = { readonly type: 'runtime-health-changed'; readonly health: RuntimeHealth };

/** What the gateway tells PLEG alone. */
export type ContainerEventMessage =
  | { readonly type: 'container-event'; readonly event: Uint8Array }
  | { readonly type: 'event-stream-changed'; readonly stream: 'live' | 'broken' | 'unsupported' };
