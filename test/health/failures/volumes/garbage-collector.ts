import { CRASHED, THREAD_ENDED, duty, event, heals, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws or its thread dies': {
    heard: [CRASHED, THREAD_ENDED],
    shown: [
      'actor/crash.test.ts',
      'restarts in place, with its waiting messages but without the message that caused the crash',
    ],
  },
  'The runtime does not answer': {
    heard: [duty('remove dead containers'), duty('remove unused images'), event('ContainerGCFailed')],
    shown: ['actors/garbage-collector/actor.test.ts', 'wait while the runtime does not answer'],
  },
  'One removal fails or hangs': {
    heard: [duty('remove dead containers')],
    shown: [
      'actors/garbage-collector/actor.test.ts',
      'that cannot be removed do not hold up the others, and are logged once',
    ],
  },
  'The pod manager does not answer': {
    heard: [CRASHED, heals('passTimes')],
    shown: ['actors/garbage-collector/actor.test.ts', 'stay while not all pods are known'],
  },
  'A volume is still mounted': {
    heard: [duty('remove directories of pods that are gone')],
    shown: ['actors/garbage-collector/actor.test.ts', 'stay while something is mounted there, which is logged once'],
  },
};
