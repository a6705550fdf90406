import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatFaultProblem } from '../../src/faults/fault-problem.ts';
import { checkFaultPlan, readFaultPlan } from '../../src/faults/read-fault-plan.ts';
import { nodeWorld } from './node-world.ts';

const problemsOf = (plan: unknown): readonly string[] => {
  const read = checkFaultPlan(plan, nodeWorld);
  return read.ok ? [] : read.problems.map(formatFaultProblem);
};
/** The problems of a plan with this single rule. */
const ofRule = (rule: unknown): readonly string[] => problemsOf({ rules: [rule] });
const crashPleg = { match: { actor: 'pleg' }, action: 'crash' };

describe('a fault plan', () => {
  it('is read from YAML, with defaults', () => {
    const text = `
seed: 7
rules:
  - match: { actor: pod-worker/*, message: sync-pod }
    when: { rate: 0.1, atMost: 3 }
    action: { type: delay, delayMs: 500 }
  - match: { criMethod: StartContainer }
    action: { type: error, code: UNAVAILABLE, text: gone fishing }
`;
    expect(readFaultPlan(text, nodeWorld)).toEqual({
      ok: true,
      plan: {
        seed: 7,
        blastRadius: { maxActors: 10, maxThreads: 1, maxMinutes: 10 },
        rules: [
          {
            match: { at: 'mailbox', actor: 'pod-worker/*', message: 'sync-pod' },
            when: { rate: 0.1, atMost: 3 },
            action: { type: 'delay', delayMs: 500 },
          },
          {
            match: { at: 'cri', criMethod: 'StartContainer' },
            when: {},
            action: { type: 'error', code: 'UNAVAILABLE', text: 'gone fishing' },
          },
        ],
      },
    });
  });

  it('is read from JSON just as well', () => {
    expect(readFaultPlan(JSON.stringify({ rules: [crashPleg] }), nodeWorld).ok).toBe(true);
  });

  it.each(readdirSync(join(import.meta.dirname, 'plans')))('the example %s is read', (file) => {
    expect(readFaultPlan(readFileSync(join(import.meta.dirname, 'plans', file), 'utf8'), nodeWorld)).toMatchObject({
      ok: true,
    });
  });

  it.each([
    [{ actor: 'pleg' }, 'crash', 'mailbox'],
    [{ message: 'relist' }, 'drop', 'mailbox'],
    [{ at: 'link', actor: 'pleg' }, 'drop', 'link'],
    [{ thread: 'pleg' }, 'exit-thread', 'thread'],
    [{ thread: 'pleg', message: 'relist' }, 'exit-thread', 'mailbox'],
    [{ at: 'mailbox', thread: 'pleg' }, 'drop', 'mailbox'],
    [{ criMethod: 'PullImage' }, 'hang', 'cri'],
    [{ at: 'cri' }, 'drop', 'cri'],
    [{ file: 'writeFile' }, { type: 'error', code: 'ENOSPC' }, 'files'],
    [{ at: 'clock' }, { type: 'step', byMs: -1000 }, 'clock'],
  ])('with a match of %j looks at the right place', (match, action, at) => {
    const read = checkFaultPlan({ rules: [{ match, action }] }, nodeWorld);
    expect(read).toMatchObject({ ok: true, plan: { rules: [{ match: { at } }] } });
  });

  it('may name any message of a kind without a list of messages', () => {
    expect(ofRule({ match: { actor: 'guest', message: 'whatever' }, action: 'drop' })).toEqual([]);
  });
});

describe('a plan is rejected', () => {
  it.each([
    ['that is no object', 'hello', /^the plan: "hello" must be an object/],
    ['without rules', {}, /^rules: is missing/],
    ['with an empty list of rules', { rules: [] }, /^rules: \[\] must be a list of 1 to 100 rules/],
    ['with a field it does not have', { sed: 1, rules: [crashPleg] }, /^sed: is not a field; did you mean "seed"\?/],
    ['with a seed that is no number', { seed: 'x', rules: [crashPleg] }, /^seed: "x" must be a whole number from 0/],
    [
      'whose blast radius is none',
      { blastRadius: { maxActors: 0 }, rules: [crashPleg] },
      /^blastRadius.maxActors: 0 must be/,
    ],
  ])('%s', (_, plan, says) => {
    expect(problemsOf(plan)).toEqual([expect.stringMatching(says)]);
  });

  it('that is neither YAML nor JSON', () => {
    const read = readFaultPlan('rules: [', nodeWorld);
    expect(read).toMatchObject({ ok: false, problems: [{ says: expect.stringContaining('neither YAML nor JSON') }] });
  });
});

describe('a rule is rejected, by its number and field,', () => {
  it.each([
    ['no match', { action: 'crash' }, 'match: is missing; it must be anything'],
    ['an empty match', { match: {}, action: 'crash' }, 'match: {} must name at least one thing to match'],
    ['no action', { match: { actor: 'pleg' } }, 'action: is missing'],
    ['an unknown field', { ...crashPleg, wen: {} }, 'wen: is not a field; did you mean "when"?'],
    [
      'an unknown field of its match',
      { match: { actr: 'pleg' }, action: 'crash' },
      'match.actr: is not a field; did you mean "actor"?',
    ],
    [
      'a field of another seam',
      { match: { actor: 'pleg', criMethod: 'Version' }, action: 'drop' },
      'match.actor: has no meaning at the cri',
    ],
    [
      'an unknown kind',
      { match: { actor: 'plug' }, action: 'crash' },
      'match.actor: "plug" matches no kind of actor; did you mean "pleg"?',
    ],
    [
      'a second PLEG',
      { match: { actor: 'pleg/2' }, action: 'crash' },
      'match.actor: "pleg/2" matches no kind of actor: there is only one pleg',
    ],
    [
      'an unknown message',
      { match: { actor: 'pleg', message: 'relits' }, action: 'drop' },
      'match.message: "relits" is no message of pleg; did you mean "relist"?',
    ],
    [
      "another kind's message",
      { match: { actor: 'pleg', message: 'sync-pod' }, action: 'drop' },
      'match.message: "sync-pod" is no message of pleg',
    ],
    [
      'an unknown thread',
      { match: { thread: 'plg' }, action: 'exit-thread' },
      'match.thread: "plg" is not a thread that faults can be injected into; did you mean "pleg"?',
    ],
    [
      'the main thread',
      { match: { thread: 'main' }, action: 'exit-thread' },
      'match.thread: "main" is not a thread that faults can be injected into',
    ],
    [
      'a thread where the actor never is',
      { match: { actor: 'pleg', thread: 'cri' }, action: 'crash' },
      'match.thread: "cri" never runs pleg',
    ],
    [
      'an unknown CRI method',
      { match: { criMethod: 'StartContainr' }, action: 'drop' },
      'match.criMethod: "StartContainr" is not a CRI method; did you mean "StartContainer"?',
    ],
    [
      'a thread that calls no runtime',
      { match: { criMethod: 'Version', thread: 'pleg' }, action: 'drop' },
      'match.thread: "pleg" never calls the runtime; only cri does',
    ],
    [
      'an unknown file operation',
      { match: { file: 'chown' }, action: 'drop' },
      'match.file: "chown" must be one of makeDirectory',
    ],
    ['a rate above 1', { ...crashPleg, when: { rate: 1.5 } }, 'when.rate: 1.5 must be a number from 0 to 1'],
    [
      'a rate that is no number',
      { ...crashPleg, when: { rate: '10%' } },
      'when.rate: "10%" must be a number from 0 to 1',
    ],
    ['a zeroth match', { ...crashPleg, when: { nth: 0 } }, 'when.nth: 0 must be a whole number from 1'],
    ['both nth and a rate', { ...crashPleg, when: { nth: 1, rate: 1 } }, 'when.rate: 1 cannot be combined with nth'],
    [
      'a time after the end',
      { ...crashPleg, when: { afterMs: 600_000 } },
      'when.afterMs: 600000 never comes: the plan ends after 10 minutes',
    ],
    [
      'a time of its own for a message',
      { match: { actor: 'pleg' }, when: { atMs: 1 }, action: 'drop' },
      'when.atMs: 1 applies only to crashing an actor',
    ],
    [
      'an unknown action',
      { match: { actor: 'pleg' }, action: 'crush' },
      'action: "crush" is not an action; did you mean "crash"?',
    ],
    ['an action without what it needs', { match: { actor: 'pleg' }, action: 'delay' }, 'action.delayMs: is missing'],
    [
      'an action with what it does not take',
      { match: { actor: 'pleg' }, action: { type: 'drop', delayMs: 1 } },
      'action.delayMs: is not a field',
    ],
    [
      'an action of another seam',
      { match: { at: 'clock' }, action: 'crash' },
      'action: "crash" is not possible at the clock; possible are step, skew, delay',
    ],
    [
      'a code that is none',
      { match: { criMethod: 'Version' }, action: { type: 'error', code: 'BROKEN' } },
      'action.code: "BROKEN" must be a gRPC code',
    ],
    [
      'a code of another seam',
      { match: { criMethod: 'Version' }, action: { type: 'error', code: 'ENOSPC' } },
      'action.code: "ENOSPC" must be one of CANCELLED',
    ],
  ])('for %s', (_, rule, says) => {
    expect(ofRule(rule)).toEqual([expect.stringContaining(`rule 1, ${says}`)]);
  });

  it('together with every other invalid rule', () => {
    const problems = problemsOf({
      blastRadius: { maxActors: -1 },
      rules: [
        { match: { actor: 'plug' }, when: { rate: 2 }, action: 'crash' },
        crashPleg,
        { match: { criMethod: 'Strat' }, action: { type: 'delay', delayMs: 'soon' } },
      ],
    });
    expect(problems).toEqual([
      expect.stringMatching(/^blastRadius.maxActors: -1 /),
      expect.stringMatching(/^rule 1, when.rate: 2 /),
      expect.stringMatching(/^rule 1, match.actor: "plug" /),
      expect.stringMatching(/^rule 3, match.criMethod: "Strat" /),
      expect.stringMatching(/^rule 3, action.delayMs: "soon" /),
    ]);
  });
});
