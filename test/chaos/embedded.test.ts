import { describe } from 'vitest';
import { chaosSuite, SUITE_TIMEOUT_MS } from '../support/agent-process/chaos-suite.ts';

describe('an agent on the embedded runtime under chaos', { timeout: SUITE_TIMEOUT_MS }, () => {
  chaosSuite('embedded', {
    pods: 300,
    faults: 1_000,
    lengthMs: 50_000,
    agentKills: 3,
    threadFailures: 12,
    actorCrashes: 20,
    changes: 60,
  });
});
