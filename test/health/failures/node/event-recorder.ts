import { CRASHED, duty, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'The API is away': {
    heard: [duty('reach the API server'), log('events could not be written')],
    shown: [
      'actors/event-recorder/actor.test.ts',
      'waits while the API is away, counts repetitions, and writes when it is back',
    ],
  },
  'An answer is lost': {
    heard: [heals('PAUSE'), duty('write events')],
    shown: ['actors/event-recorder/actor.test.ts', 'treats an event whose answer was lost as written'],
  },
};
