import type { MonotonicMs } from '../../src/actor/clock.ts';
import { addressOf, type Address, type Tagged } from '../../src/actor/messages/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { CallerLane, CriMethodName } from '../../src/cri/methods.ts';

/** Own reports. Other actors send only questions. */
export type CriGatewayReport =
  | { readonly type: 'runtime-checked'; readonly outcome: RuntimeCheck }
  | { readonly type: 'event-stream-ended'; readonly fault: CriFault };

/** Own timers. */
export type CriGatewayTimer =
  /** A check of the runtime is due; also sent when a call finds the runtime unavailable. */
  { readonly type: 'check-runtime' } | { readonly type: 'open-event-stream' };

/** One call to the runtime, as bytes. Runtime errors are part of the answer; the ask rejects only as any ask may. */
export interface CriCall extends Tagged {
  readonly type: 'call';
  readonly method: CriMethodName;
  readonly request: Uint8Array;
  /** The pod that the call is for. A call without a pod is neither ordered nor fenced. */
  readonly podUid?: string;
  /** The actor that makes the call. */
  readonly caller: Address;
  /**
   * Fences effects: nothing is created for a pod while calls for that pod by an earlier incarnation of the same caller
   * are under way. A call that had to wait for such calls is dropped, since it was decided before they took effect. The
   * answer is `INTERRUPTED`, and the caller asks PLEG again.
   */
  readonly incarnation: number;
  /**
   * Monotonic instant of the caller's last look at the runtime. A call that creates is answered with `INTERRUPTED` if a
   * creation by an earlier incarnation ended after that instant: the caller has not seen its result.
   */
  readonly observedAt?: MonotonicMs;
  /** `undefined` when the call may take any time. */
  readonly timeoutMs: number | undefined;
  /** Replaces the method's own lane. */
  readonly lane?: CallerLane;
}

export type CriGatewayQuestion = CriCall | { readonly type: 'runtime-health' };

export interface CriGatewayProtocol {
  readonly command: CriGatewayReport | CriGatewayTimer;
  readonly question: CriGatewayQuestion;
  readonly answers: {
    readonly call: CriOutcome<Uint8Array>;
    readonly 'runtime-health': RuntimeHealth;
  };
}

export const CRI_GATEWAY = addressOf<CriGatewayProtocol>('cri-gateway');

/** Reachability of the runtime; `connecting` until the first answer. Instants are wall-clock milliseconds. */
export type RuntimeHealth =
  | { readonly state: 'connecting' }
  | { readonly state: 'up'; readonly since: MonotonicMs; readonly runtime: RuntimeFacts }
  | { readonly state: 'down'; readonly since: MonotonicMs; readonly fault: CriFault };

export interface RuntimeFacts {
  readonly name: string;
  readonly version: string;
  readonly runtimeReady: boolean;
  /**
   * Empty when the network is ready, otherwise the runtime's reason. While set, no pod with its own network may start.
   */
  readonly networkNotReady: string;
}

export type RuntimeCheck =
  { readonly ok: true; readonly facts: RuntimeFacts } | { readonly ok: false; readonly fault: CriFault };

/**
 * Notice from the gateway to the actors that depend on the runtime: PLEG, pod manager, node status and every pod
 * worker.
 */
export type RuntimeHealthChanged = { readonly type: 'runtime-health-changed'; readonly health: RuntimeHealth };

/** Notices from the gateway to PLEG alone. */
export type ContainerEventMessage =
  | { readonly type: 'container-event'; readonly event: Uint8Array }
  | { readonly type: 'event-stream-changed'; readonly stream: 'live' | 'broken' | 'unsupported' };
