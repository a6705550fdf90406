import { CRASHED, heals, log, THREAD_ENDED, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws or its thread dies': {
    heard: [CRASHED, THREAD_ENDED],
    shown: ['actors/node-addresses/node-addresses.test.ts', 'are found again after a crash'],
  },
  'A name resolution hangs': {
    heard: [heals('RESOLVE_WITHIN_MS')],
    shown: ['actors/node-addresses/node-addresses.test.ts', 'do not wait for a name resolution that hangs'],
  },
  'The host has no address': {
    heard: [log('this host has no address for its pods')],
    shown: [
      'actors/node-addresses/node-addresses.test.ts',
      'are none while the host has none, with one line in the log',
    ],
  },
  'A notice is lost': {
    heard: [heals('INSPECT_EVERY_MS')],
    shown: ['actors/node-addresses/node-addresses.test.ts', 'are reported again, since a notice may be lost'],
  },
};
