import { JobPool } from './actor.ts';
import { jobThreads } from './job-threads.ts';
import { agentKind } from '../../src/agent/kind.ts';
import type { JobPoolProtocol } from './protocol.ts';

/** The actor that lends out job threads. */
export const kind = agentKind<JobPoolProtocol>({
  livesOn: 'main',
  standsOn: [],
  mailbox: 10_000,
  messageTypes: {
    'parse-manifests': true,
    'parse-pod-list': true,
    'volume-orders': true,
    'walk-pods': true,
  },
  make({ threads }) {
    // The threads outlive an incarnation.
    const jobs = jobThreads();
    threads?.watch(jobs);
    return () => new JobPool(jobs);
  },
});
