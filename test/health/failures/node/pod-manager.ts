import { CRASHED, event, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'without a pod noticing': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'A message is lost': {
    heard: [heals('SURVEY_EVERY_MS'), heals('REPEAT_ENDS_MS')],
    shown: [
      'simulation/simulation.test.ts',
      'holds all invariants though messages get lost, late, repeated, overtaken',
    ],
  },
  'A source sends only checked pods': {
    heard: [event('FailedValidation')],
    shown: ['actors/pod-source-api/actor.test.ts', 'keeps the last good version of a pod, through a new list too'],
  },
  'The disk is full': {
    heard: [log('cannot save the allocated resources of the pod')],
    shown: [
      'actors/pod-manager/checkpoints/allocations.test.ts',
      'stops no pod; a failed write is retried until it succeeds once',
    ],
  },
};
