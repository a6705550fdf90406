import { duty, heals, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'The runtime does not answer': {
    heard: [duty('measure pods')],
    shown: [
      'actors/stats-collector/actor.test.ts',
      "reports the node's figures, and no pod figures, while the runtime does not answer",
    ],
  },
  'A walk is lost': {
    heard: [heals('volumeStatsAggPeriod')],
    shown: ['actors/stats-collector/actor.test.ts', 'continues after a lost walk, and repeats it'],
  },
  'A volume cannot be measured': {
    heard: [duty('reach the CSI driver <driver>')],
    shown: [
      'actors/csi-manager/actor.test.ts',
      'asks only drivers with volume stats, and only about their own volumes',
    ],
  },
};
