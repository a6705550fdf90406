import { addressOf } from '../../src/actor/messages/message.ts';

/** What the kubelet's server can be told. All of it comes from itself. */
export type KubeletServerCommand =
  /** Its own timer: a listener that could not be opened is tried again. */
  | { readonly type: 'listen-again'; readonly listener: ListenerName }
  | { readonly type: 'listening'; readonly listener: ListenerName; readonly port: number }
  | { readonly type: 'listen-failed'; readonly listener: ListenerName; readonly problem: string }
  /** Its own timer: whether the files of certificates have changed. */
  | { readonly type: 'look-at-certificates' };

/**
 * `secure`: HTTPS, for whoever may. `read-only`: plain, for whoever reaches it. `healthz`: plain, health alone. `pod-resources`:
 * gRPC on a unix socket, which has no port (0), for programs of this machine.
 */
export type ListenerName = 'secure' | 'read-only' | 'healthz' | 'pod-resources';

export interface KubeletServerProtocol {
  readonly command: KubeletServerCommand;
  readonly question: { readonly type: 'server-ports' };
  readonly answers: {
    /** By listener, where it listens now. */
    readonly 'server-ports': ReadonlyMap<ListenerName, number>;
  };
}

export const KUBELET_SERVER = addressOf<KubeletServerProtocol>('kubelet-server');
