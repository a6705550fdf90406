import { addressOf } from '../../src/actor/messages/message.ts';

/** Own reports. Other actors send only questions. */
export type KubeletServerReport =
  | { readonly type: 'listening'; readonly listener: ListenerName; readonly port: number }
  | { readonly type: 'listen-failed'; readonly listener: ListenerName; readonly problem: string };

/** Own timers. */
export type KubeletServerTimer =
  /** Opening a listener is due: at the start, or again after a failure. */
  | { readonly type: 'listen-due'; readonly listener: ListenerName }
  /** A check of the certificate files is due. */
  | { readonly type: 'certificate-check-due' };

/**
 * `secure`: HTTPS, for authorized clients. `read-only`: plain HTTP, without authentication. `healthz`: plain HTTP,
 * health only. `pod-resources`: gRPC on a unix socket (port 0), for programs of this machine.
 */
export type ListenerName = 'secure' | 'read-only' | 'healthz' | 'pod-resources';

export interface KubeletServerProtocol {
  readonly command: KubeletServerReport | KubeletServerTimer;
  readonly question: { readonly type: 'server-ports' };
  readonly answers: {
    /** The ports of open listeners. */
    readonly 'server-ports': ReadonlyMap<ListenerName, number>;
  };
}

export const KUBELET_SERVER = addressOf<KubeletServerProtocol>('kubelet-server');
