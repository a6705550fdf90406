import { CRASHED, answer, duty, endpoint, heals, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'A list fails, hangs': {
    heard: [duty('list pods and containers of the runtime'), endpoint('/healthz')],
    shown: [
      'simulation/no-silent-failure.test.ts',
      'is shown within 15 s when the runtime does not answer %s, and no longer once it works',
    ],
  },
  'An inspection fails': {
    heard: [heals('RELIST_EVERY_MS'), answer('the fault of the call')],
    shown: ['actors/pleg/actor.test.ts', 'is repeated with the next relist, and no change is lost'],
  },
  'It hangs': {
    heard: [duty('reach the container runtime'), answer('deadline-exceeded')],
    shown: ['actors/pleg/actor.test.ts', 'does not keep other pods from being reported, listed or awaited'],
  },
  'A status belongs to another': {
    heard: [answer('DATA_LOSS')],
    shown: ['actors/pleg/inspect.test.ts', 'fails when $method answers about another thing, and names both'],
  },
  'A label holds no valid file name': {
    heard: [lossless('the kubelet that runs here never wrote such a label')],
    shown: ['actors/pleg/inspect.test.ts', 'with the name %j have none'],
  },
  'An event is late or repeated': {
    heard: [heals('RELIST_EVERY_MS')],
    shown: ['actors/pleg/pod-records.test.ts', 'ignore an event from before the latest inspection'],
  },
  'It is lost or unreadable': {
    heard: [heals('SAFETY_RELIST_EVERY_MS')],
    shown: ['actors/pleg/actor.test.ts', 'is corrected by the next relist after a lost event'],
  },
  'A notice is lost': {
    heard: [heals('syncFrequencyMs')],
    shown: [
      'simulation/simulation.test.ts',
      'holds all invariants though messages get lost, late, repeated, overtaken',
    ],
  },
};
