import { duty, log, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'There is no answer': {
    heard: [duty('read static pods from their URL'), log('cannot read static pods from their URL')],
    shown: ['actors/pod-source-http/actor.test.ts', 'reports a lasting problem once'],
  },
  'That happens before': {
    heard: [duty('read static pods from their URL'), log('cannot read static pods from their URL')],
    shown: ['actors/pod-source-http/actor.test.ts', 'is not complete before the first good answer'],
  },
  'The answer is empty': {
    heard: [log('cannot read static pods from their URL')],
    shown: ['actors/pod-source-http/actor.test.ts', 'treats an empty answer as no pods, as the kubelet does'],
  },
  'The parsing job is lost': {
    heard: [duty('read static pods from their URL'), log('cannot read static pods from their URL')],
    shown: ['actors/pod-source-http/actor.test.ts', 'reports nothing when $rule'],
  },
};
