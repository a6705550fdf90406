import { CRASHED, THREAD_ENDED, answer, duty, heals, log, lossless, status, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws': {
    heard: [CRASHED],
    shown: [
      'actors/cri-gateway/actor.test.ts',
      'fails its callers’ questions, continues with other pods, and holds the pod back until the call has settled',
    ],
  },
  'Its thread dies': {
    heard: [THREAD_ENDED],
    shown: ['actor/two-hosts.test.ts', 'settles the questions to it at once, read or not, and no questions to others'],
  },
  'The runtime hangs': {
    heard: [duty('reach the container runtime'), log('the container runtime does not answer')],
    shown: ['actors/cri-gateway/actor.test.ts', 'makes one check at a time while the runtime hangs'],
  },
  'It is down': {
    heard: [
      duty('reach the container runtime'),
      log('the container runtime does not answer'),
      status('container runtime is down'),
    ],
    shown: ['actors/cri-gateway/actor.test.ts', 'logs and announces an outage once, and its end once'],
  },
  'An answer is late': {
    heard: [answer('deadline-exceeded')],
    shown: ['actors/cri-gateway/actor.test.ts', 'frees its place also after its caller has stopped waiting'],
  },
  'An answer cannot be decoded': {
    heard: [answer('DATA_LOSS')],
    shown: [
      'actors/pleg/actor.test.ts',
      'with $how changes nothing, crashes nothing, and is tried again after a second',
    ],
  },
  'A question is repeated': {
    heard: [lossless('a read has no effect, and each caller of a change observes the pod first')],
    shown: ['actors/cri-gateway/actor.test.ts', 'are one call, and each caller gets its own bytes'],
  },
  'An announcement is lost': {
    heard: [heals('CHECK_EVERY_MS')],
    shown: [
      'simulation/simulation.test.ts',
      'holds all invariants though messages get lost, late, repeated, overtaken',
    ],
  },
};
