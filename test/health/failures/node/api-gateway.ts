import { CRASHED, THREAD_ENDED, answer, duty, heals, log, lossless, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'It throws': {
    heard: [CRASHED],
    shown: ['actors/api-gateway/actor.test.ts', 'ends when the gateway restarts, and its subscriber is notified'],
  },
  'Its thread dies': {
    heard: [THREAD_ENDED],
    shown: ['actor/two-hosts.test.ts', 'settles the questions to it at once, read or not, and no questions to others'],
  },
  'The server is away': {
    heard: [log('the API server is unreachable'), duty('reach the API server')],
    shown: [
      'actors/api-gateway/actor.test.ts',
      'is logged and announced once at its start and end, and calls fail at once in between',
    ],
  },
  'The server is slow': {
    heard: [answer('timed-out'), heals('API_CALL_MS')],
    shown: ['api/transport/network-transport.test.ts', 'ends at its deadline, without an answer or with a part of it'],
  },
  'A call is refused without effect': {
    heard: [heals('MOST_ATTEMPTS')],
    shown: [
      'actors/api-gateway/actor.test.ts',
      'retries a call that the server asks to retry, within the caller’s deadline, and counts the retry',
    ],
  },
  'A create that may have happened': {
    heard: [answer('unreachable')],
    shown: [
      'actors/api-gateway/call-queue.test.ts',
      'a create on a broken connection is not retried: it may have had its effect',
    ],
  },
  'The server refuses the credentials': {
    heard: [answer('refused'), duty('reach the API server')],
    shown: [
      'api/transport/network-transport.test.ts',
      'with rejected credentials is repeated once with fresh credentials',
    ],
  },
  'An announcement is lost': {
    heard: [heals('CHECK_EVERY_MS')],
    shown: ['actors/api-gateway/actor.test.ts', 'is checked once a second, and lease calls are still made'],
  },
  'The server does not take protobuf': {
    heard: [lossless('JSON has the same content')],
    shown: [
      'api/transport/protobuf-transport.test.ts',
      'that is answered in JSON is good, and bodies of that resource are JSON from then on',
    ],
  },
};
