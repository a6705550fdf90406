import { describe } from 'vitest';
import { chaosSuite, SUITE_TIMEOUT_MS } from '../support/agent-process/chaos-suite.ts';

// A small one whose plan is always the same; `npm run chaos` has those that go on for minutes.
describe('an agent on the embedded runtime under a little chaos', { timeout: SUITE_TIMEOUT_MS }, () => {
  chaosSuite('embedded', {
    seed: 1,
    // The larger ones are of the standard profile unless they are told otherwise.
    profile: 'compact',
    pods: 50,
    faults: 120,
    lengthMs: 10_000,
    agentKills: 1,
    threadFailures: 3,
    actorCrashes: 5,
    changes: 12,
  });
});
