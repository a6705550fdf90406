import type { ChildSpec } from '../supervision/child.ts';
import { addressOf, type Address, type AddressOf, type Tagged } from './message.ts';

/**
 * Commands that any actor may send to a thread's host, at `host/<thread>`. They control the life of the dynamic actors
 * there.
 */
export type HostCommand =
  /** Idempotent: an actor that already lives at the address keeps running unchanged. */
  | { readonly type: 'start-actor'; readonly spec: ChildSpec }
  | { readonly type: 'stop-actor'; readonly address: Address }
  /** Sends a command to every actor of a kind on that thread. */
  | { readonly type: 'broadcast'; readonly kind: string; readonly command: Tagged };

export type HostQuestion = { readonly type: 'list-actors'; readonly kind: string };

export interface HostProtocol {
  readonly command: HostCommand;
  readonly question: HostQuestion;
  readonly answers: { readonly 'list-actors': readonly Address[] };
}

export const hostAddress = (thread: string): AddressOf<HostProtocol> => addressOf(`host/${thread}`);
