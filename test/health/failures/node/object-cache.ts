import { CRASHED, duty, event, heals, log, lossless, metric, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'The server is away': {
    heard: [duty('reach the API server'), event('FailedMount')],
    shown: ['actors/object-cache/actor.test.ts', 'is still known in an outage'],
  },
  'An object is deleted and created again': {
    heard: [heals('KEPT_FOR_MS')],
    shown: ['actors/object-cache/actor.test.ts', 'gives a new pod the new data'],
  },
  'The server refuses (403)': {
    heard: [event('FailedMount'), duty('follow the services')],
    shown: ['actors/object-cache/actor.test.ts', 'is dropped when the server forbids it'],
  },
  'An object cannot be read': {
    heard: [log('an object from the API server cannot be read'), metric('hivelet_reflector_troubles_total')],
    shown: ['actors/object-cache/read-objects.test.ts', 'is rejected: %j'],
  },
  'A watch breaks': {
    heard: [metric('hivelet_reflector_troubles_total'), duty('follow the services')],
    shown: [
      'api/reflector/reflector.test.ts',
      "finally has the server's objects, and so does a listener to its changes, after any interruptions",
    ],
  },
  'A question is repeated': {
    heard: [lossless('a repeated question shares the object and its token')],
    shown: [
      'actors/object-cache/actor.test.ts',
      'is read for a new pod while the watch is broken, once for all that ask meanwhile',
    ],
  },
};
