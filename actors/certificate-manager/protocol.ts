import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';

/** What the keeper of the client certificate can be told. All but the server's health comes from itself. */
export type ClientCertificateCommand =
  | ApiHealthChanged
  | { readonly type: 'look' }
  /** Undefined: there is none that this agent could renew. */
  | { readonly type: 'looked'; readonly pem: string | undefined }
  | { readonly type: 'renewed'; readonly problem: string | undefined };

export interface ClientCertificateProtocol {
  readonly command: ClientCertificateCommand;
  readonly question: never;
  readonly answers: object;
}

export const CLIENT_CERTIFICATE = addressOf<ClientCertificateProtocol>('client-certificate');
/** Keeps the certificate that this node serves with, in the same way. */
export const SERVER_CERTIFICATE = addressOf<ClientCertificateProtocol>('server-certificate');
