import { CRASHED, answer, duty, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: [
      'actors/kubelet-server/kubelet-server.test.ts',
      'closes every client and runtime connection when it crashes amid fifty streams, and serves again',
    ],
  },
  'A port is taken': {
    heard: [duty("open all ports of the kubelet's server"), log('cannot open the listener')],
    shown: [
      'actors/kubelet-server/kubelet-server.test.ts',
      'are logged once when they cannot be opened, and retried with a back-off up to five seconds',
    ],
  },
  'A certificate or client authority': {
    heard: [log('certificates could not be reloaded')],
    shown: [
      'actors/kubelet-server/kubelet-server.test.ts',
      'gives each server the certificates of the files, and keeps the current ones if the files cannot be read',
    ],
  },
  'An address opens too many': {
    heard: [answer('closed connection')],
    shown: [
      'serving/access/unidentified-connections.test.ts',
      'above the limit close the oldest of the address with the most',
    ],
  },
  'It has too many tokens': {
    heard: [answer('429')],
    shown: [
      'serving/token-flood.test.ts',
      'a client at another address is served at once, even if no review is ever answered',
    ],
  },
  'The client authority changes': {
    heard: [log('certificates were reloaded')],
    shown: [
      'serving/hardened-server.test.ts',
      'trusts only certificates of the new authority, also on open connections',
    ],
  },
  'The API server does not answer': {
    heard: [duty('reach the API server'), answer('401')],
    shown: ['serving/who-may-ask.test.ts', 'serves only known clients while the API server is unreachable'],
  },
};
