import { CRASHED, duty, event, heals, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: [
      'actors/probe-manager/actor.test.ts',
      'is restored from the workers after a crash, and a started container is not probed for startup again',
    ],
  },
  'The runtime fails or is silent': {
    heard: [event('Unhealthy'), duty('reach the container runtime')],
    shown: ['actors/probe-manager/actor.test.ts', 'tries a probe that cannot run three times, and draws no conclusion'],
  },
  'A message is lost': {
    heard: [heals('syncFrequencyMs')],
    shown: [
      'simulation/simulation.test.ts',
      'holds all invariants though messages get lost, late, repeated, overtaken',
    ],
  },
};
