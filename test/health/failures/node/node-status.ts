import { duty, heals, status, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'A call fails while registering': {
    heard: [duty('update the node object'), duty('reach the API server')],
    shown: [
      'actors/node-status/node-status.test.ts',
      'is retried with a back-off while the API server is away, and then registered',
    ],
  },
  Later: {
    heard: [duty('reach the API server'), duty('update the node object'), heals('TRIES_A_ROUND')],
    shown: [
      'actors/node-status/node-status.test.ts',
      'causes no storm after ten minutes of an API server $rule, and reports as soon as the server is back',
    ],
  },
  'The object is gone': {
    heard: [heals('REGISTER_BACK_OFF')],
    shown: ['actors/node-status/node-status.test.ts', 'registers a node whose object was deleted again'],
  },
  'The API server returns': {
    heard: [heals('REGISTER_BACK_OFF')],
    shown: [
      'actors/node-status/node-status.test.ts',
      'is retried with a back-off while the API server is away, and then registered',
    ],
  },
  'The runtime has not answered': {
    heard: [status('container runtime is down'), heals('PATIENCE_MS')],
    shown: [
      'actors/node-status/node-status.test.ts',
      'is not ready after five seconds without the runtime, and ready as soon as the runtime answers',
    ],
  },
  'No object was read': {
    heard: [heals('RESOLVE_WITHIN_MS')],
    shown: [
      'actors/node-status/node-status.test.ts',
      'are known after a runtime hangs that should list images, and after a resolver hangs',
    ],
  },
};
