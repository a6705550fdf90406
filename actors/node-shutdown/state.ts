import type { Pod } from '../../src/kube/pod.ts';
import { shutdownGroups, type PodsOfPeriod, type ShutdownPeriod } from '../../src/node/shutdown/shutdown-plan.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import type { NodeShutdownProtocol } from './protocol.ts';

/** Each shutdown is a run: late messages of a cancelled shutdown must not affect the next one. */
export type NodeShutdownState =
  | { readonly phase: 'off'; readonly run: number }
  | { readonly phase: 'armed'; readonly run: number }
  | { readonly phase: 'listing'; readonly run: number }
  | {
      readonly phase: 'ending-pods';
      readonly run: number;
      readonly groups: readonly PodsOfPeriod[];
      readonly group: number;
      /** Pods of the group that still run. */
      readonly left: ReadonlySet<string>;
    }
  | { readonly phase: 'released'; readonly run: number };

export type ShutdownEffect =
  | { readonly type: 'acquire-lock'; readonly afterMs: number }
  /** Notifies the listeners that the node shuts down, or that the shutdown was cancelled. */
  | { readonly type: 'announce'; readonly shuttingDown: boolean }
  | { readonly type: 'list-pods' }
  | { readonly type: 'end-pods'; readonly pods: PodsOfPeriod['pods']; readonly run: number }
  | { readonly type: 'wait'; readonly ms: number; readonly group: number; readonly run: number }
  | { readonly type: 'release-lock' }
  | { readonly type: 'off'; readonly detail: string };

export interface ShutdownDecision {
  readonly next: NodeShutdownState;
  readonly effects: readonly ShutdownEffect[];
}

/** The wait before the watch is opened again after its loss. */
const LOCK_RETRY_MS = 1_000;

export function decide(
  state: NodeShutdownState,
  command: NodeShutdownProtocol['command'],
  periods: readonly ShutdownPeriod[],
): ShutdownDecision {
  const stay: ShutdownDecision = { next: state, effects: [] };
  const { run } = state;
  switch (command.type) {
    case 'acquire-lock':
      return { next: state, effects: [{ type: 'acquire-lock', afterMs: 0 }] };
    case 'lock-failed':
      // Pods that are being ended continue to end.
      if (state.phase === 'listing' || state.phase === 'ending-pods') return stay;
      return { next: { phase: 'off', run }, effects: [{ type: 'off', detail: command.detail }] };
    case 'lock-acquired':
      if (state.phase !== 'off' && state.phase !== 'armed') return command.shuttingDown ? stay : calledOff(state);
      return command.shuttingDown ? begin(run) : { next: { phase: 'armed', run }, effects: [] };
    case 'shutdown-announced':
      if (!command.shuttingDown) return calledOff(state);
      return state.phase === 'armed' || state.phase === 'off' ? begin(run) : stay;
    case 'shutdown-watch-lost':
      return { next: state, effects: [{ type: 'acquire-lock', afterMs: LOCK_RETRY_MS }] };
    case 'pods-listed':
      return state.phase === 'listing' ? startGroup(run, shutdownGroups(active(command.pods), periods), 0) : stay;
    case 'pod-ended': {
      if (state.phase !== 'ending-pods' || command.run !== run) return stay;
      const left = new Set(state.left);
      left.delete(command.podUid);
      if (left.size > 0) return { next: { ...state, left }, effects: [] };
      return startGroup(run, state.groups, state.group + 1);
    }
    case 'group-due': {
      const isCurrent = state.phase === 'ending-pods' && command.run === run && command.group === state.group;
      return isCurrent ? startGroup(run, state.groups, state.group + 1) : stay;
    }
    default:
      return command satisfies never;
  }
}

const begin = (run: number): ShutdownDecision => ({
  next: { phase: 'listing', run: run + 1 },
  effects: [{ type: 'announce', shuttingDown: true }, { type: 'list-pods' }],
});

/** Ended pods stay ended. Later pods are admitted again, and the lock is acquired for the next shutdown. */
function calledOff(state: NodeShutdownState): ShutdownDecision {
  if (state.phase === 'off' || state.phase === 'armed') return { next: state, effects: [] };
  return {
    next: { phase: 'armed', run: state.run },
    effects: [
      { type: 'announce', shuttingDown: false },
      { type: 'acquire-lock', afterMs: 0 },
    ],
  };
}

function startGroup(run: number, groups: readonly PodsOfPeriod[], group: number): ShutdownDecision {
  const next = groups[group];
  if (next === undefined) return { next: { phase: 'released', run }, effects: [{ type: 'release-lock' }] };
  const left = new Set(next.pods.map(({ uid }) => uid));
  return {
    next: { phase: 'ending-pods', run, groups, group, left },
    effects: [
      { type: 'end-pods', pods: next.pods, run },
      { type: 'wait', ms: next.seconds * 1000, group, run },
    ],
  };
}

const active = (pods: readonly Pod[]): readonly Pod[] => pods.filter(({ status }) => !isTerminalPhase(status?.phase));
