import { CRASHED, THREAD_ENDED, duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws or its thread dies': {
    heard: [CRASHED, THREAD_ENDED],
    shown: [
      'actors/container-log-manager/actor.test.ts',
      'is rotated after an interrupted compression, which starts over',
    ],
  },
  'It dies after the renaming': {
    heard: [CRASHED],
    shown: [
      'actors/container-log-manager/actor.test.ts',
      'is reopened: an agent may have died between rename and reopen',
    ],
  },
  'PLEG does not answer': {
    heard: [duty('check the sizes of container logs')],
    shown: ['actors/container-log-manager/actor.test.ts', 'is asked again, and the failure is logged once'],
  },
  'PLEG is behind': {
    heard: [heals('checkEveryMs')],
    shown: ['actors/container-log-manager/actor.test.ts', 'is not changed if it is a log $rule'],
  },
  'The runtime refuses to open the log': {
    heard: [log('rotating a container log failed')],
    shown: [
      'actors/container-log-manager/actor.test.ts',
      'gets its name back when the runtime does not reopen it, and waits before the next try',
    ],
  },
  'The disk is full': {
    heard: [log('rotating a container log failed')],
    shown: [
      'actors/container-log-manager/actor.test.ts',
      'stays as it is while the disk has no room to compress an earlier one, and each attempt is logged',
    ],
  },
  'The container ends meanwhile': {
    heard: [lossless('a container that ended writes no more')],
    shown: ['actors/container-log-manager/actor.test.ts', 'is not changed if it is a log $rule'],
  },
};
