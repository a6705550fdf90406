import { CRASHED, duty, heals, log, metric, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws': {
    heard: [CRASHED],
    shown: [
      'actor/crash.test.ts',
      'restarts in place, with its waiting messages but without the message that caused the crash',
    ],
  },
  'The server is away or refuses': {
    heard: [
      log('certificate could not be renewed'),
      duty('renew the client certificate of this node'),
      duty('renew the server certificate of this node'),
    ],
    shown: ['actors/certificate-manager/client-certificate.test.ts', 'retries a denied request, and logs it'],
  },
  'The signer does not sign': {
    heard: [log('certificate could not be renewed'), heals('AGAIN')],
    shown: [
      'actors/certificate-manager/client-certificate.test.ts',
      'is tried again more and more rarely, ten minutes apart at most',
    ],
  },
  'The signer leaves out a name': {
    heard: [log('certificate could not be renewed')],
    shown: [
      'actors/certificate-manager/client-certificate.test.ts',
      'rejects a certificate without the requested names, and does not retry at once',
    ],
  },
  'It dies while writing': {
    heard: [CRASHED],
    shown: [
      'cli/run/bootstrap-credentials.test.ts',
      'keeps key and certificate in a private file, behind a symbolic link',
    ],
  },
  'The certificate has expired': {
    heard: [
      duty('renew the client certificate of this node'),
      metric('kubelet_certificate_manager_client_expiration_renew_errors'),
    ],
    shown: [
      'actors/certificate-manager/client-certificate.test.ts',
      'requests a certificate with the bootstrap credentials after the old one has expired, and not through the gateway',
    ],
  },
  "The node's addresses change": {
    heard: [heals('CALL_TIMEOUT_MS')],
    shown: [
      'actors/certificate-manager/client-certificate.test.ts',
      'drops a request under way when the addresses change, and requests again',
    ],
  },
};
