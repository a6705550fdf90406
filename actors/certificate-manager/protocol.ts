import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';

/** Messages that other actors send to the certificate manager. */
export type ClientCertificateCommand = ApiHealthChanged;

/** Own reports. */
export type ClientCertificateReport =
  /** `pem` is `undefined` when there is no certificate that this agent could renew. */
  | { readonly type: 'certificate-read'; readonly pem: string | undefined }
  | { readonly type: 'renewed'; readonly problem: string | undefined };

/** Own timers. */
export type ClientCertificateTimer = { readonly type: 'check-due' };

export interface ClientCertificateProtocol {
  readonly command: ClientCertificateCommand | ClientCertificateReport | ClientCertificateTimer;
  readonly question: never;
  readonly answers: object;
}

export const CLIENT_CERTIFICATE = addressOf<ClientCertificateProtocol>('client-certificate');
/** The same actor for the serving certificate of this node. */
export const SERVER_CERTIFICATE = addressOf<ClientCertificateProtocol>('server-certificate');
