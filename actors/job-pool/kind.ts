import { systemClock } from '../../src/actor/clock.ts';
import { JobPool } from './actor.ts';
import { agentJobs } from './agent-jobs.ts';
import { jobThreads } from './job-threads.ts';
import { agentKind } from '../../src/agent/kind.ts';
import type { JobPoolProtocol } from './protocol.ts';

/** Runs jobs of other actors on job threads. */
export const kind = agentKind<JobPoolProtocol>({
  runsOn: 'main',
  standsOn: [],
  mailbox: 10_000,
  messageTypes: {
    'parse-manifests': true,
    'parse-pod-list': true,
    'volume-orders': true,
    'walk-pods': true,
  },
  make({ threads, log }) {
    // The threads outlive an incarnation.
    const jobs = jobThreads(agentJobs, { clock: systemClock, log });
    threads?.watch(jobs);
    return () => new JobPool(jobs);
  },
});
