import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { KubeletServerProtocol, ListenerName } from './protocol.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

/** Open listeners and failed listeners. */
export interface KubeletServerState {
  readonly ports: ReadonlyMap<ListenerName, number>;
  /** Number of failed attempts of each listener that cannot be opened; the first failure is logged. */
  readonly failures: ReadonlyMap<ListenerName, number>;
}

export const initialState: KubeletServerState = { ports: new Map(), failures: new Map() };

export type KubeletServerEffect =
  | { readonly type: 'open'; readonly listener: ListenerName }
  | { readonly type: 'try-later'; readonly listener: ListenerName; readonly inMs: number }
  | { readonly type: 'report-listening'; readonly listener: ListenerName; readonly port: number }
  | { readonly type: 'report-problem'; readonly listener: ListenerName; readonly problem: string }
  | { readonly type: 'certificate-check-due' };

/**
 * A taken port may soon be free: a killed agent leaves its port taken for a moment. The certificate of a new node also
 * arrives a moment after its request.
 */
const TRY_AGAIN = { initialMs: 250, maxMs: 5_000 };

/** Decides what follows from a message. A listener that cannot be opened is retried for ever, and logged once. */
export function decide(
  state: KubeletServerState,
  command: KubeletServerProtocol['command'],
): { readonly next: KubeletServerState; readonly effects: readonly KubeletServerEffect[] } {
  switch (command.type) {
    case 'listen-due':
      return { next: state, effects: [{ type: 'open', listener: command.listener }] };
    case 'listening': {
      const { listener, port } = command;
      const failures = new Map(state.failures);
      failures.delete(listener);
      return {
        next: { ports: new Map(state.ports).set(listener, port), failures },
        effects: [{ type: 'report-listening', listener, port }],
      };
    }
    case 'listen-failed': {
      const { listener, problem } = command;
      const failed = state.failures.get(listener) ?? 0;
      const inMs = backOffMs(failed + 1, TRY_AGAIN);
      const later: KubeletServerEffect = { type: 'try-later', listener, inMs };
      return {
        next: { ...state, failures: new Map(state.failures).set(listener, failed + 1) },
        effects: failed > 0 ? [later] : [{ type: 'report-problem', listener, problem }, later],
      };
    }
    case 'certificate-check-due':
      return { next: state, effects: [{ type: 'certificate-check-due' }] };
    default:
      return assertNever(command, 'kubelet server command');
  }
}
