import { CRASHED, duty, event, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'A driver is away or refuses': {
    heard: [event('FailedMount'), duty('reach the CSI driver <driver>')],
    shown: [
      'actors/csi-manager/hanging-driver.test.ts',
      'is reached although it refuses: the event of the pod has the reason',
    ],
  },
  'A call hangs': {
    heard: [duty('reach the CSI driver <driver>')],
    shown: [
      'actors/csi-manager/hanging-driver.test.ts',
      'is reported once with call and volume, and again when the call is answered',
    ],
  },
  'A plugin cannot be registered': {
    heard: [duty('register CSI plugins'), log('CSI plugin could not be registered')],
    shown: ['actors/csi-manager/hanging-driver.test.ts', 'is a failing duty until it is registered'],
  },
  'It crashes': {
    heard: [CRASHED],
    shown: ['actors/csi-manager/actor.test.ts', 'finds the mounted volumes on disk after a crash'],
  },
  'A volume cannot be unstaged': {
    heard: [duty('unstage volumes that no pod uses'), log('the volume could not be unstaged')],
    shown: [
      'actors/csi-manager/state.test.ts',
      'is removed at once when found, retried later after a failure, and never after a success',
    ],
  },
  'A claim, volume or attachment is malformed': {
    heard: [event('FailedMount')],
    shown: [
      'actors/volume-manager/actor.test.ts',
      'fails at once for an unusable claim, reports it once per wait, and continues when it becomes usable',
    ],
  },
};
