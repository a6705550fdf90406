import { addressOf } from '../../src/actor/messages/message.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** Own reports. Other actors send only questions. */
export type NodeShutdownReport =
  | { readonly type: 'lock-acquired'; readonly shuttingDown: boolean }
  | { readonly type: 'lock-failed'; readonly detail: string }
  | { readonly type: 'shutdown-announced'; readonly shuttingDown: boolean }
  | { readonly type: 'shutdown-watch-lost'; readonly detail: string }
  | { readonly type: 'pods-listed'; readonly pods: readonly Pod[] }
  | { readonly type: 'pod-ended'; readonly podUid: string; readonly run: number };

/** Own timers. */
export type NodeShutdownTimer =
  /** The shutdown lock must be acquired from the init system: at the start, or again after the notices were lost. */
  | { readonly type: 'acquire-lock' }
  /** The time of a group of pods is over. */
  | { readonly type: 'group-due'; readonly group: number; readonly run: number };

export type NodeShutdownQuestion = { readonly type: 'shutdown-state' };

export interface NodeShutdownProtocol {
  readonly command: NodeShutdownReport | NodeShutdownTimer;
  readonly question: NodeShutdownQuestion;
  readonly answers: { readonly 'shutdown-state': ShutdownPhase };
}

export const NODE_SHUTDOWN = addressOf<NodeShutdownProtocol>('node-shutdown');

/**
 * `off`: not configured, or the machine announces no shutdowns. `armed`: a shutdown waits for this agent.
 * `shutting-down`: pods are being ended. `released`: pods have ended, or their time is over; the machine shuts down.
 */
export type ShutdownPhase = 'off' | 'armed' | 'shutting-down' | 'released';

/** Notice to the pod manager: no pod is admitted while the node is shutting down. */
export interface NodeShuttingDown {
  readonly type: 'node-shutting-down';
  readonly shuttingDown: boolean;
}
