import { duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'The API is away': {
    heard: [duty('reach the API server'), duty('write pod statuses')],
    shown: [
      'actors/status-manager/api-writes.test.ts',
      'is written in its latest form within seconds after ten minutes without an API',
    ],
  },
  'An answer is lost': {
    heard: [heals('PAUSE')],
    shown: ['actors/status-manager/api-writes.test.ts', "is compared with the API's status after a lost answer"],
  },
  'A write conflicts': {
    heard: [heals('WAIT_MS')],
    shown: [
      'actors/status-manager/api-writes.test.ts',
      'waits for the watch where the server does not let the node read the pod, as when the pod is gone',
    ],
  },
  'The object is missing': {
    heard: [lossless('a pod without an object needs no status; the watch brings the next object')],
    shown: ['actors/status-manager/api-writes.test.ts', 'is dropped when its pod does not exist, or has another UID'],
  },
  'A write is refused': {
    heard: [duty('write pod statuses'), log('the API server rejects the status')],
    shown: [
      'actors/status-manager/api-writes.test.ts',
      'is a failing duty while statuses of other pods are written, until its pod is gone',
    ],
  },
  'An older server refuses': {
    heard: [log('the API server is older than this agent')],
    shown: [
      'actors/status-manager/older-server.test.ts',
      'gets every status without the unknown field, at once and for every pod',
    ],
  },
  'The server accepts a field': {
    heard: [heals('WAIT_MS')],
    shown: ['actors/status-manager/older-server.test.ts', 'does not get a dropped field again, but gets changes'],
  },
  'A status or object arrives late': {
    heard: [lossless('numbers and resource versions order them')],
    shown: ['actors/status-manager/api-writes.test.ts', 'is not confused by an old object from the watch'],
  },
};
