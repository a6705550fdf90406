import { CRASHED, THREAD_ENDED, duty, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws or its thread dies': {
    heard: [CRASHED, THREAD_ENDED],
    shown: [
      'actor/crash.test.ts',
      'restarts in place, with its waiting messages but without the message that caused the crash',
    ],
  },
  'The log overflows': {
    heard: [heals('READ_EVERY_MS')],
    shown: ['actors/oom-watcher/actor.test.ts', 'reads an endless log in slices'],
  },
  'The log cannot be read any more': {
    heard: [CRASHED, log('the kernel log cannot be read')],
    shown: ['actors/oom-watcher/actor.test.ts', 'counts kills when the log cannot be read'],
  },
  'Neither log nor counts': {
    heard: [log('the kernel log cannot be read')],
    shown: ['actors/oom-watcher/actor.test.ts', 'logs that it is off when neither can be read'],
  },
  'An event is lost': {
    heard: [duty('reach the API server'), log('events could not be written')],
    shown: ['actors/oom-watcher/actor.test.ts', 'reports each kill in the kernel log'],
  },
};
