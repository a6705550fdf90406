import { formatFaultProblem } from '../../../src/faults/fault-problem.ts';
import { readFaultPlan, type ReadPlan } from '../../../src/faults/read-fault-plan.ts';
import { nodeWorld } from '../../faults/node-world.ts';
import { judged, READING_MS } from '../oracle.ts';
import type { Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';
import { fileTextOf, writtenFiles, type Written } from '../written.ts';

const bases: Readonly<Record<string, Recipe>> = {
  everySeam: {
    seed: 42,
    blastRadius: { maxActors: 20, maxThreads: 1, maxMinutes: 5 },
    rules: [
      { match: { actor: 'pod-worker', message: 'sync-pod' }, when: { rate: 0.2, atMost: 10 }, action: 'crash' },
      { match: { at: 'link', actor: 'pleg' }, when: { nth: 3 }, action: 'reorder' },
      { match: { thread: 'pleg' }, when: { atMs: 30000 }, action: { type: 'hang-thread', forMs: 2000 } },
      { match: { criMethod: 'CreateContainer' }, when: { rate: 0.1 }, action: { type: 'drop', lose: 'answer' } },
      {
        match: { file: 'writeFile', path: '/var/lib/*' },
        when: { afterMs: 10000, atMost: 2 },
        action: { type: 'error', code: 'ENOSPC' },
      },
      { match: { at: 'clock', thread: 'pods-0' }, when: { afterMs: 5000 }, action: { type: 'step', byMs: -60000 } },
    ],
  },
  apiTrouble: {
    rules: [
      { match: { apiVerb: 'patch' }, when: { rate: 0.5 }, action: { type: 'delay', forMs: 100 } },
      { match: { actor: 'pod-worker/default/web' }, when: { nth: 1 }, action: { type: 'crash', reason: 'on purpose' } },
    ],
  },
};

export const faultPlans: Target<Written> = {
  name: 'fault-plans',
  allowedMs: READING_MS,
  cases: writtenFiles(bases),
  open: async () => ({
    async run(given) {
      const text = fileTextOf(bases, given);
      return judged('readFaultPlan', () => read(text), outcomeOf);
    },
    close: () => Promise.resolve(),
  }),
};

function read(text: string): ReadPlan {
  const outcome = readFaultPlan(text, nodeWorld);
  if (!outcome.ok) for (const problem of outcome.problems) formatFaultProblem(problem);
  return outcome;
}

function outcomeOf(answer: unknown): string {
  const outcome = answer as ReadPlan;
  return outcome.ok
    ? `a plan of ${outcome.plan.rules.length} rules`
    : outcome.problems.map(({ rule, path }) => `${rule} ${path}`).join(', ');
}
