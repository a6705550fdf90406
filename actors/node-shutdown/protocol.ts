import { addressOf } from '../../src/actor/messages/message.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** What the node shutdown can be told. All of it comes from itself. */
export type NodeShutdownCommand =
  /** Look for the init system, and ask it to wait for pods. */
  | { readonly type: 'arm' }
  | { readonly type: 'armed'; readonly shuttingDown: boolean }
  | { readonly type: 'not-armed'; readonly detail: string }
  | { readonly type: 'shutdown-announced'; readonly shuttingDown: boolean }
  | { readonly type: 'notices-lost'; readonly detail: string }
  | { readonly type: 'pods-listed'; readonly pods: readonly Pod[] }
  | { readonly type: 'pod-ended'; readonly podUid: string; readonly run: number }
  /** The time of a group of pods is over. */
  | { readonly type: 'group-due'; readonly group: number; readonly run: number };

export type NodeShutdownQuestion = { readonly type: 'shutdown-state' };

export interface NodeShutdownProtocol {
  readonly command: NodeShutdownCommand;
  readonly question: NodeShutdownQuestion;
  readonly answers: { readonly 'shutdown-state': ShutdownPhase };
}

export const NODE_SHUTDOWN = addressOf<NodeShutdownProtocol>('node-shutdown');

/**
 * `off`: not asked for, or nobody announces shutdowns here. `armed`: a shutdown waits for this agent. `shutting-down`: pods
 * are being ended. `released`: they have been; the machine goes down.
 */
export type ShutdownPhase = 'off' | 'armed' | 'shutting-down' | 'released';

/** What the pod manager is told: while the node is shutting down no pod is let on. */
export interface NodeShuttingDown {
  readonly type: 'node-shutting-down';
  readonly shuttingDown: boolean;
}
