import type { Socket } from 'node:net';
import { elapsedMs, type Clock, type MonotonicMs } from '../../../actor/clock.ts';
import type { ConnectionPeers } from '../../../host/tcp-peers.ts';

export interface GuardTools {
  readonly clock: Clock;
  readonly peers: ConnectionPeers;
}

const LOOK_EVERY_MS = 1_000;
/** How long a client may take nothing of what is on its way to it, once its command has ended. */
const LINGER_MS = 10_000;
/** Looks without a byte from a client that has left, before its connection is closed. */
const QUIET_LOOKS = 2;

export interface ConnectionLook {
  readonly bytesRead: number;
  /** Bytes that the client has not taken yet. */
  readonly unsent: number;
  readonly at: MonotonicMs;
}

export interface GuardState extends ConnectionLook {
  /** How many looks in a row found no byte from a client that has left. */
  readonly quietLooks: number;
  /** When the client last took bytes, or the command ended; `undefined` before the end of the command. */
  readonly takenAt: MonotonicMs | undefined;
}

export type GuardVerdict = { readonly type: 'close' } | { readonly type: 'keep'; readonly next: GuardState };

/** Decides about a connection by two looks at it. `hasLeft` is asked only for a connection that is quiet. */
export function judgeConnection(before: GuardState, now: ConnectionLook, hasLeft: () => boolean): GuardVerdict {
  const isQuiet = now.bytesRead === before.bytesRead;
  const quietLooks = isQuiet && hasLeft() ? before.quietLooks + 1 : 0;
  if (quietLooks >= QUIET_LOOKS) return { type: 'close' };
  const took = now.unsent < before.unsent;
  const takenAt = before.takenAt !== undefined && took ? now.at : before.takenAt;
  if (takenAt !== undefined && elapsedMs(takenAt, now.at) >= LINGER_MS) return { type: 'close' };
  return { type: 'keep', next: { ...now, quietLooks, takenAt } };
}

/**
 * Closes a connection whose client has left, also while the command reads no input; and a connection whose command has
 * ended, when the client takes no more.
 */
export class ConnectionGuard {
  readonly #socket: Socket;
  readonly #tools: GuardTools;
  #state: GuardState;

  constructor(socket: Socket, tools: GuardTools) {
    this.#socket = socket;
    this.#tools = tools;
    this.#state = { ...this.#look(), quietLooks: 0, takenAt: undefined };
    let stop = (): void => {};
    const later = (): void => {
      stop = tools.clock.after(LOOK_EVERY_MS, () => {
        if (this.#judge()) later();
        else socket.destroy();
      });
    };
    later();
    socket.once('close', () => stop());
  }

  /** The command has ended: from now on the connection only delivers. */
  ending(): void {
    this.#state = { ...this.#state, takenAt: this.#tools.clock.monotonic() };
  }

  #look(): ConnectionLook {
    const { bytesRead, writableLength } = this.#socket;
    return { bytesRead, unsent: writableLength, at: this.#tools.clock.monotonic() };
  }

  /** Returns `false` if the connection must be closed. */
  #judge(): boolean {
    const verdict = judgeConnection(this.#state, this.#look(), () => this.#tools.peers.hasLeft(this.#socket));
    if (verdict.type === 'close') return false;
    this.#state = verdict.next;
    return true;
  }
}
