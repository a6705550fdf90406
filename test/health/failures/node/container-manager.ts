import { CRASHED, duty, event, heals, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'The kernel refuses a value': {
    heard: [
      duty('set the cgroups of all pods and of system daemons'),
      log('the cgroup could not be set'),
      event('FailedNodeAllocatableEnforcement'),
    ],
    shown: [
      'actors/container-manager/state.test.ts',
      'limits that the kernel refused are retried every minute, accepted limits are not',
    ],
  },
  'It crashes': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  'A message is lost or late': {
    heard: [heals('SURVEY_EVERY_MS')],
    shown: [
      'actors/container-manager/state.test.ts',
      'a survey corrects lost reports: ended pods and pods of other classes do not count',
    ],
  },
  'systemd does not answer': {
    heard: [log('cgroup was set, but the systemd unit was not updated')],
    shown: [
      'cgroups/systemd-cgroups.test.ts',
      'are set as folders while systemd does not answer, which is reported once',
    ],
  },
};
