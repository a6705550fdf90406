import { CRASHED, duty, event, log, lossless, metric, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'The server is away': {
    heard: [duty('reach the API server')],
    shown: ['actors/pod-source-api/actor.test.ts', 'reports no removals when the server goes away'],
  },
  'The server has forgotten': {
    heard: [
      metric('hivelet_reflector_troubles_total'),
      duty('follow the pods of this node in the API'),
      duty('list the pods of this node for the first time'),
    ],
    shown: ['simulation/api-faults.test.ts', 'that returns without its history lists once, and loses nothing'],
  },
  'A pod cannot be read': {
    heard: [
      event('FailedValidation'),
      log('an object from the API server cannot be read'),
      metric('hivelet_reflector_troubles_total'),
    ],
    shown: ['actors/pod-source-api/actor.test.ts', 'records an event about the pod, where it can be named'],
  },
  'An event cannot be read': {
    heard: [metric('hivelet_reflector_troubles_total')],
    shown: ['actors/pod-source-api/actor.test.ts', 'counts values that are no objects'],
  },
  'An event is repeated': {
    heard: [lossless('a version is reported once')],
    shown: ['api/reflector/reflector.test.ts', 'reports no unchanged objects of a new list'],
  },
};
