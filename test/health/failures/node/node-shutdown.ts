import { CRASHED, duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'There is no logind': {
    heard: [log('graceful node shutdown is off'), duty('delay shutdowns of the machine')],
    shown: ['actors/node-shutdown/node-shutdown.test.ts', 'is off, with one log line, without logind'],
  },
  'The bus is lost': {
    heard: [heals('LOCK_RETRY_MS'), duty('delay shutdowns of the machine')],
    shown: [
      'actors/node-shutdown/node-shutdown.test.ts',
      'a logind that does not answer is a failing duty, until it answers',
    ],
  },
  'It crashes, or another agent starts': {
    heard: [CRASHED, log('the machine is shutting down')],
    shown: [
      'actors/node-shutdown/node-shutdown.test.ts',
      'a crash during a shutdown continues with the pods that still run, under the same lock',
    ],
  },
  'Messages of a shutdown': {
    heard: [lossless('a shutdown has a number, and late messages bear another')],
    shown: [
      'actors/node-shutdown/node-shutdown.test.ts',
      'a cancelled shutdown admits pods again, and the next shutdown is delayed too',
    ],
  },
  'The pod manager restarts': {
    heard: [CRASHED, heals('ANNOUNCE_EVERY_MS')],
    shown: [
      'actors/node-shutdown/node-shutdown.test.ts',
      'the shutdown is announced, and announced again to restarted actors',
    ],
  },
};
