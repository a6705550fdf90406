import { CRASHED, event, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['actors/image-manager/image-manager.test.ts', 'keeps all intents after its own crash: the pulls continue'],
  },
  'The agent ends during a pull': {
    heard: [log('agent process ended'), event('Failed')],
    shown: [
      'actors/image-manager/image-manager.test.ts',
      'turns an intent left by its predecessor into a record without credentials, when the image is present',
    ],
  },
  'The end of a pull is not recorded': {
    heard: [heals('FORGOTTEN_MS')],
    shown: [
      'actors/image-manager/image-manager.test.ts',
      'abandons a pull without a recorded end after an hour, and treats its credentials as unknown',
    ],
  },
  'A pull is never made': {
    heard: [heals('FORGOTTEN_MS')],
    shown: ['actors/image-manager/image-manager.test.ts', 'removes the intent after an hour without a restart'],
  },
  'An intent or record is broken': {
    heard: [event('Failed')],
    shown: ['images/pull-records.test.ts', 'that is damaged is ignored: %j'],
  },
  'The disk is full': {
    heard: [event('Failed'), log('pull record could not be written')],
    shown: ['actors/image-manager/image-manager.test.ts', 'permits no pull that it cannot record on disk'],
  },
  'A provider hangs or fails': {
    heard: [log('gave no login for')],
    shown: ['images/provider-logins.test.ts', 'are empty when a provider fails, which is logged and not cached'],
  },
  'A question is repeated': {
    heard: [lossless('intent and record are written whole, and once')],
    shown: [
      'actors/image-manager/image-manager.test.ts',
      'counts a pull once when a pod begins it again after a crash of its worker',
    ],
  },
};
