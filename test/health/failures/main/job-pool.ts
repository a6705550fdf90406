import { answer, duty, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'A job throws': {
    heard: [answer('failed')],
    shown: ['actors/job-pool/job-pool.test.ts', 'reports a lost job, and continues'],
  },
  'A job takes too long': {
    heard: [answer('too-long'), duty('set up and remove volumes')],
    shown: ['actors/job-pool/job-threads.test.ts', 'is abandoned in time, and ends only when the kernel releases it'],
  },
  'The queue is full': {
    heard: [answer('not-run')],
    shown: ['actors/job-pool/job-threads.test.ts', 'loses the other jobs of its thread, which are not blamed'],
  },
};
