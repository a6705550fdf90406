import { describe, expect, it } from 'vitest';
import { formatFaultProblem } from '../../src/faults/fault-problem.ts';
import { checkFaultPlan, readFaultPlan } from '../../src/faults/read-fault-plan.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';
import { nodeWorld } from './node-world.ts';

const problemsOf = (plan: unknown): string => {
  const read = checkFaultPlan(plan, nodeWorld);
  return read.ok ? '' : read.problems.map(formatFaultProblem).join('\n');
};
const match = { actor: 'pleg' };

describe.each(FOREIGN_NAMES)('a fault plan that names %s', (name) => {
  const one = keyed([[name, 1]]);

  it.each([
    { what: 'as a field', plan: { rules: [{ match, action: 'crash' }], ...one } },
    { what: 'as a field of a rule', plan: { rules: [{ match, action: 'crash', ...one }] } },
    { what: 'as a field of a match', plan: { rules: [{ match: { ...match, ...one }, action: 'crash' }] } },
    { what: 'as a condition', plan: { rules: [{ match, action: 'crash', when: one }] } },
    { what: 'as an action', plan: { rules: [{ match, action: name }] } },
    { what: 'as the type of an action', plan: { rules: [{ match, action: { type: name } }] } },
    { what: 'as an actor', plan: { rules: [{ match: { actor: name }, action: 'crash' }] } },
    { what: 'as a message', plan: { rules: [{ match: { ...match, message: name }, action: 'drop' }] } },
    { what: 'as a method', plan: { rules: [{ match: { criMethod: name }, action: 'hang' }] } },
    {
      what: 'as a gRPC code',
      plan: { rules: [{ match: { criMethod: 'Version' }, action: { type: 'error', code: name } }] },
    },
    { what: 'as a bound', plan: { rules: [{ match, action: 'crash' }], blastRadius: one } },
  ])('$what is rejected by that name', ({ plan }) => {
    expect(problemsOf(plan)).toContain(name);
    expect(readFaultPlan(JSON.stringify(plan), nodeWorld).ok).toBe(false);
  });
});
