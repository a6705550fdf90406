import { assertNever } from '../../src/kube/assert-never.ts';
import type { KubeletServerCommand, ListenerName } from './protocol.ts';

/** Where the server listens, and what it has said about where it does not. */
export interface KubeletServerState {
  readonly ports: ReadonlyMap<ListenerName, number>;
  /** Listeners of which the log has it already that they cannot be opened. */
  readonly reported: ReadonlySet<ListenerName>;
}

export const initialState: KubeletServerState = { ports: new Map(), reported: new Set() };

export type KubeletServerEffect =
  | { readonly type: 'open'; readonly listener: ListenerName }
  | { readonly type: 'try-later'; readonly listener: ListenerName; readonly inMs: number }
  | { readonly type: 'report-listening'; readonly listener: ListenerName; readonly port: number }
  | { readonly type: 'report-problem'; readonly listener: ListenerName; readonly problem: string }
  | { readonly type: 'look-at-certificates' };

/** A port that is taken may be free again soon: an agent that was killed leaves its own behind for a moment. */
const TRY_AGAIN_MS = 5_000;

/** What comes of a message. A listener that cannot be opened is tried for ever, and told of once. */
export function decide(
  state: KubeletServerState,
  command: KubeletServerCommand,
): { readonly next: KubeletServerState; readonly effects: readonly KubeletServerEffect[] } {
  switch (command.type) {
    case 'listen-again':
      return { next: state, effects: [{ type: 'open', listener: command.listener }] };
    case 'listening': {
      const { listener, port } = command;
      const reported = new Set(state.reported);
      reported.delete(listener);
      return {
        next: { ports: new Map(state.ports).set(listener, port), reported },
        effects: [{ type: 'report-listening', listener, port }],
      };
    }
    case 'listen-failed': {
      const { listener, problem } = command;
      const later: KubeletServerEffect = { type: 'try-later', listener, inMs: TRY_AGAIN_MS };
      if (state.reported.has(listener)) return { next: state, effects: [later] };
      return {
        next: { ...state, reported: new Set(state.reported).add(listener) },
        effects: [{ type: 'report-problem', listener, problem }, later],
      };
    }
    case 'look-at-certificates':
      return { next: state, effects: [{ type: 'look-at-certificates' }] };
    default:
      return assertNever(command, 'kubelet server command');
  }
}
