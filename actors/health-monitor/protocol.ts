import { addressOf, type Address } from '../../src/actor/messages/message.ts';
import type { FailingDuty } from '../../src/health/duty.ts';

/** Messages that other actors send to the health monitor, through `client.ts`. */
export type HealthMonitorCommand =
  /** Work of an actor has failed for a while. Repeated while it fails. */
  | { readonly type: 'duty-failing'; readonly actor: Address; readonly duty: FailingDuty }
  /** The work succeeds. Sent when trouble is over, and once by each incarnation. */
  | { readonly type: 'duty-working'; readonly actor: Address; readonly work: string };

/** Own timer: duties without a recent report are forgotten. */
export type HealthMonitorTimer = { readonly type: 'forget-due' };

export type HealthMonitorQuestion = { readonly type: 'failing-duties' };

/** A failing duty, and the actor that has it. */
export interface ActorDuty extends FailingDuty {
  readonly actor: Address;
}

export interface HealthMonitorProtocol {
  readonly command: HealthMonitorCommand | HealthMonitorTimer;
  readonly question: HealthMonitorQuestion;
  readonly answers: {
    /** By actor and work. */
    readonly 'failing-duties': readonly ActorDuty[];
  };
}

export const HEALTH_MONITOR = addressOf<HealthMonitorProtocol>('health-monitor');
