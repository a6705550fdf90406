import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';

/** Messages that the certificate manager receives. All but the server's health come from the actor itself. */
export type ClientCertificateCommand =
  | ApiHealthChanged
  | { readonly type: 'look' }
  /** `pem` is `undefined` when there is no certificate that this agent could renew. */
  | { readonly type: 'looked'; readonly pem: string | undefined }
  | { readonly type: 'renewed'; readonly problem: string | undefined };

export interface ClientCertificateProtocol {
  readonly command: ClientCertificateCommand;
  readonly question: never;
  readonly answers: object;
}

export const CLIENT_CERTIFICATE = addressOf<ClientCertificateProtocol>('client-certificate');
/** The same actor for the serving certificate of this node. */
export const SERVER_CERTIFICATE = addressOf<ClientCertificateProtocol>('server-certificate');
