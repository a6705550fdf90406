import { CRASHED, duty, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'is requested again by a restarted actor'],
  },
  'A call fails': {
    heard: [duty('keep the mirror pods'), log('the mirror pod could not be')],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'stays a failing duty while mirror pods of others are made'],
  },
  'An answer is lost': {
    heard: [heals('DELAY')],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'is created once although an answer was lost'],
  },
  'Somebody deletes a mirror pod': {
    heard: [heals('DELAY')],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'is created again when a client deletes it'],
  },
  'A mirror pod is `outdated`': {
    heard: [heals('DELAY')],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'is replaced once when it shows an end that no longer holds'],
  },
  'The Node object is not readable': {
    heard: [duty('keep the mirror pods')],
    shown: ['actors/mirror-pods/mirror-pods.test.ts', 'is a failing duty while the Node object may not be read'],
  },
};
