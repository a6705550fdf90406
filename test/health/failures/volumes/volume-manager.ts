import { CRASHED, duty, event, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: [
      'actors/volume-manager/actor.test.ts',
      'asks the workers for their volumes at its start, and again after a crash',
    ],
  },
  'Every order can be repeated': {
    heard: [lossless('setting up an existing volume changes nothing')],
    shown: ['actors/volume-manager/actor.test.ts', 'repeats orders lost with a job thread'],
  },
  'A volume fails': {
    heard: [event('FailedMount')],
    shown: [
      'actors/volume-manager/actor.test.ts',
      'reports the problem to the worker, keeps trying, and fails the wait after 2m3s',
    ],
  },
  'An order hangs': {
    heard: [duty('set up and remove volumes')],
    shown: [
      'actors/volume-manager/hanging-orders.test.ts',
      'is reported once with volume and pod, and again when it is answered',
    ],
  },
  'The job thread dies': {
    heard: [duty('set up and remove volumes'), heals('BACK_OFF')],
    shown: ['actors/volume-manager/actor.test.ts', 'repeats orders lost with a job thread'],
  },
  'The process dies during an update': {
    heard: [log('agent process ended')],
    shown: [
      'volumes/atomic-writer-killed.test.ts',
      'leaves one complete version, and the next writer continues from there',
    ],
  },
  'A release of held content': {
    heard: [heals('HOLD_MS')],
    shown: ['actors/volume-manager/held-content.test.ts', 'goes ten minutes after a start whose answer was lost'],
  },
  'A pod certificate is denied': {
    heard: [event('Denied'), event('CertificateOverdueForRefresh')],
    shown: [
      'volumes/certificates/pod-certificates.test.ts',
      'record their denial in one event, and are not requested again',
    ],
  },
};
