import { CRASHED, endpoint, heals, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED, heals('REPEAT_MS')],
    shown: ['simulation/no-silent-failure.test.ts', 'is shown again when its actor crashes meanwhile'],
  },
  'A report is lost': {
    heard: [heals('REPEAT_MS')],
    shown: ['health/duty-state.test.ts', 'trouble that goes on is repeated only when due'],
  },
  'The reporting actor dies': {
    heard: [CRASHED, heals('FORGET_AFTER_MS')],
    shown: ['actors/health-monitor/actor.test.ts', 'forgets the duty of an actor that is gone'],
  },
  'It does not answer': {
    heard: [endpoint('/healthz/duties')],
    shown: ['health/failing-duties.test.ts', 'names the monitor itself when it does not answer'],
  },
};
