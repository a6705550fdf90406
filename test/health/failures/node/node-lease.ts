import { duty, heals, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'The Lease conflicts': {
    heard: [heals('BACK_OFF')],
    shown: ['actors/node-lease/node-lease.test.ts', 'another writer came first: reads and writes again'],
  },
  'It is gone': {
    heard: [heals('BACK_OFF')],
    shown: ['actors/node-lease/node-lease.test.ts', 'it was deleted: creates it again'],
  },
  'The server is unreachable, slow': {
    heard: [duty('reach the API server'), duty("renew the node's lease")],
    shown: ['actors/node-lease/node-lease.test.ts', 'is back within ten seconds after $rule, without having stormed'],
  },
  'A call gets no answer': {
    heard: [duty("renew the node's lease"), heals('AFTER_TIME_OUT_MS')],
    shown: ['simulation/no-silent-failure.test.ts', 'is shown within 30 s when $what, and no longer once it works'],
  },
  'The API server returns': {
    heard: [heals('BACK_OFF')],
    shown: ['actors/node-lease/node-lease.test.ts', 'is renewed as soon as the API server is reported up again'],
  },
  'There is no Node object yet': {
    heard: [duty('update the node object'), heals('BACK_OFF')],
    shown: ['actors/node-lease/node-lease.test.ts', 'is created as soon as the Node exists, and not before'],
  },
};
