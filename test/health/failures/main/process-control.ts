import { CRASHED, THREAD_ENDED, answer, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['actor/crash.test.ts', 'settles the questions it had read and not answered, at once'],
  },
  'A thread does not answer': {
    heard: [THREAD_ENDED],
    shown: ['actor/threads.test.ts', 'ends a thread that hangs, too'],
  },
  'A thread does not exist': {
    heard: [answer('404')],
    shown: ['serving/debugging.test.ts', 'are listed, and leave no file behind'],
  },
};
