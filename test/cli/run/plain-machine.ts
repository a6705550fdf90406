import type { AgentMachine } from '../../../src/cli/run/agent-machine.ts';

/** A machine on which any configuration may start, and whose process needs no change. */
export const plainMachine: AgentMachine = {
  startFacts: () => ({ cgroupVersion: 2, swaps: [] }),
  holdProcess: () => Promise.resolve([]),
  holdLockFile: () => Promise.reject(new Error('this machine has no lock files')),
};
