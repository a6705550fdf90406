import { CRASHED, duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It crashes': {
    heard: [CRASHED],
    shown: ['actors/iptables-chains/look-at-family.test.ts', 'changes nothing where everything is there already'],
  },
  'iptables is missing for a family': {
    heard: [lossless('nothing can be made in that family')],
    shown: ['actors/iptables-chains/state.test.ts', 'are not looked for in a family without iptables'],
  },
  'Missing for both': {
    heard: [log('no iptables can be used on this host')],
    shown: ['actors/iptables-chains/actor.test.ts', 'looks once where no iptables can be used, and says so once'],
  },
  'A chain or rule is refused': {
    heard: [duty('keep the iptables chains of the node')],
    shown: [
      'actors/iptables-chains/actor.test.ts',
      'reports a lasting refusal as a failing duty, and looks again each minute',
    ],
  },
  'The program hangs': {
    heard: [duty('keep the iptables chains of the node'), heals('ENDS_WITHIN_MS')],
    shown: ['actors/iptables-chains/look-at-family.test.ts', 'fails with its reason where $rule'],
  },
  'A firewall flushes everything': {
    heard: [heals('LOOK_EVERY_MS')],
    shown: ['actors/iptables-chains/look-at-family.test.ts', 'waits after a flush until all tables are flushed'],
  },
  'The kernel is short of resources': {
    heard: [duty('keep the iptables chains of the node')],
    shown: ['actors/iptables-chains/look-at-family.test.ts', 'fails with its reason where $rule'],
  },
};
