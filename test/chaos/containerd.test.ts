import { describe } from 'vitest';
import { chaosSuite, SUITE_TIMEOUT_MS } from '../support/agent-process/chaos-suite.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';

const SUITE = 'an agent on real containerd under chaos';

describe.skipIf(skipWithoutContainerd(SUITE))(
  'an agent on real containerd under chaos',
  { timeout: SUITE_TIMEOUT_MS },
  () => {
    chaosSuite('containerd', {
      pods: 20,
      faults: 50,
      lengthMs: 40_000,
      agentKills: 2,
      threadFailures: 4,
      actorCrashes: 5,
      changes: 8,
    });
  },
);
