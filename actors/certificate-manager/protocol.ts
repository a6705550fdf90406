import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';
import type { NodeAddressesObserved } from '../node-addresses/protocol.ts';

/** Messages that other actors send to the certificate manager. */
export type ClientCertificateCommand =
  | ApiHealthChanged
  /** The names that the serving certificate must have follow from it. */
  | NodeAddressesObserved;

/** Own reports. */
export type ClientCertificateReport =
  /** `pem` is `undefined` when there is no certificate that this agent could renew. */
  | { readonly type: 'certificate-read'; readonly pem: string | undefined }
  /** `request` numbers the requests: the end of an outdated one counts for nothing. */
  | { readonly type: 'renewed'; readonly request: number; readonly problem: string | undefined };

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
