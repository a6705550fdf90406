import { CRASHED, duty, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'There are no figures': {
    heard: [duty('measure what the node has left')],
    shown: ['actors/eviction-manager/state.test.ts', 'decides nothing without figures or without the running pods'],
  },
  'A collector hangs or fails': {
    heard: [log('the node could not free what it has to spare')],
    shown: ['actors/eviction-manager/actor.test.ts', 'reclaims node resources first, even if a collector hangs'],
  },
  'The pod manager restarts': {
    heard: [CRASHED, heals('RESUME_AGAIN_MS')],
    shown: ['actors/eviction-manager/state.test.ts', 'is evicted again when the pod manager has lost the eviction'],
  },
};
