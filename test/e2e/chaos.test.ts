import { describe } from 'vitest';
import { chaosSuite, SUITE_TIMEOUT_MS } from '../support/agent-process/chaos-suite.ts';

// A short run with a fixed plan; `npm run chaos` has the runs of several minutes.
describe('an agent on the embedded runtime under a little chaos', { timeout: SUITE_TIMEOUT_MS }, () => {
  chaosSuite('embedded', {
    seed: 1,
    // The larger runs use the standard profile by default.
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
