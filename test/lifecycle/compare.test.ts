import { describe, expect, it } from 'vitest';
import { callProblem } from './compare-calls.ts';
import { eventProblem } from './compare-events.ts';
import { statusProblem } from './compare-statuses.ts';
import { timeProblem } from './compare-times.ts';
import { scenarios, type ExpectedCall, type ExpectedCallStep, type StatusEntry } from './scenario.ts';
import { fitsText } from './text-pattern.ts';

const textOf = (call: string | ExpectedCall): string => (typeof call === 'string' ? call : call.call);

const flat = (steps: readonly ExpectedCallStep[]): readonly string[] =>
  steps
    .flatMap((step) =>
      typeof step !== 'string' && 'parallel' in step
        ? step.parallel.flatMap((lane) => lane.map(textOf))
        : [textOf(step)],
    )
    .map((call) => call.replace(/(?<=grace=\d+)\.\.\d+/, ''));

const listed = scenarios.flatMap(({ name, expected }) =>
  Object.entries(expected.status).map(([pod, statuses]) => ({ name, pod, statuses, calls: expected.calls[pod] ?? [] })),
);

describe('the comparison with recordings', () => {
  it.each(listed)('accepts the recording itself: $name $pod', ({ statuses, calls }) => {
    expect(statusProblem(statuses, statuses)).toBeUndefined();
    expect(callProblem(calls, flat(calls))).toBeUndefined();
  });

  it.each(listed.filter(({ statuses }) => statuses.length > 1))(
    'reports a missing last status: $name $pod',
    ({ statuses }) => {
      const [last, ...before] = statuses.toReversed();
      const isRepeated = JSON.stringify(before[0]) === JSON.stringify(last);
      expect(isRepeated || statusProblem(statuses, before.toReversed()) !== undefined).toBe(true);
    },
  );

  it.each(listed.filter(({ calls }) => calls.length > 0))('reports an extra call: $name $pod', ({ calls }) => {
    expect(callProblem(calls, [...flat(calls), 'CreateContainer main#17'])).toMatch('was not to come');
  });

  const running: StatusEntry = { phase: 'Running', ip: true, conditions: { Ready: 'True', Initialized: 'True' } };
  const ended: StatusEntry = { phase: 'Failed', ip: true, conditions: { Ready: 'False', Initialized: 'True' } };

  it('accepts an intermediate status, leaf by leaf', () => {
    const between: StatusEntry = { ...running, conditions: { Ready: 'False', Initialized: 'True' } };
    expect(statusProblem([running, ended], [running, between, ended])).toBeUndefined();
    const odd: StatusEntry = { ...running, conditions: { Ready: 'Unknown', Initialized: 'True' } };
    expect(statusProblem([running, ended], [running, odd, ended])).toMatch('conditions.Ready');
  });

  it('accepts a missing status that was not in every recorded run', () => {
    expect(
      statusProblem([running, { ...running, ip: false, optional: true }, ended], [running, ended]),
    ).toBeUndefined();
  });

  it.each([
    ['in one order', ['A', 'B', 'C']],
    ['in the other', ['B', 'A', 'C']],
  ])('lets lanes interleave, %s', (_, calls) => {
    expect(callProblem([{ parallel: [['A'], ['B']] }, { call: 'C' }], calls)).toBeUndefined();
    expect(callProblem([{ parallel: [['A'], ['B']] }, { call: 'C' }], calls.slice(1))).toBeDefined();
  });

  it.each([
    [
      'restarting failed container main in pod x_life(<uid>)',
      'restarting failed container main in pod x_life(2b7f0f61-3f1d-4c43-9a53-1f5b1f0a7b11)',
      true,
    ],
    ['back-off <d> restarting', 'back-off 1m20s restarting', true],
    ['back-off <d> restarting', 'back-off soon restarting', false],
    ['a (b)', 'a b', false],
  ])('reads %s', (recorded, text, fits) => {
    expect(fitsText(recorded, text)).toBe(fits);
  });

  it('requires every recorded event, and accepts no other reason', () => {
    const pulled = { type: 'Normal', reason: 'Pulled', message: 'there' };
    expect(eventProblem([pulled], [pulled, pulled])).toBeUndefined();
    expect(eventProblem([pulled], [])).toMatch('missing');
    expect(eventProblem([], [pulled])).toMatch('not to come');
    const ofMain = { ...pulled, field: 'spec.containers{main}' };
    expect(eventProblem([ofMain], [ofMain, { ...ofMain, message: 'again' }])).toBeUndefined();
    expect(eventProblem([ofMain], [ofMain, { ...ofMain, field: 'spec.containers{other}' }])).toMatch('not to come');
  });

  // Room for 10 to 11 s is left up to 18 s.
  it.each([
    { what: 'in time', at: 17.9, problem: /^nothing$/ },
    { what: 'earlier than recorded', at: 1, problem: /^nothing$/ },
    { what: 'late', at: 18.1, problem: /late, at 18\.1 s: .*10 to 11 s/ },
    { what: 'not timed', at: undefined, problem: /^nothing$/ },
  ])('judges when a status was seen: $what', ({ at, problem }) => {
    const recorded = [running, { ...ended, t: [10, 11] as const }];
    const told = statusProblem(recorded, [running, ended], { timeOf: (entry) => (entry === ended ? at : 0) });
    expect(told ?? 'nothing').toMatch(problem);
  });

  it.each([
    { what: 'in time', time: { at: 17.9, took: 2 }, problem: /^nothing$/ },
    { what: 'quicker than recorded', time: { at: 0, took: 0 }, problem: /^nothing$/ },
    { what: 'late', time: { at: 18.1, took: 1 }, problem: /call 1 is late: B, at 18\.1 s/ },
    { what: 'too long', time: { at: 10, took: 3.1 }, problem: /call 1 is late: B, at 10\.0 s, took 3\.1 s/ },
    { what: 'not timed', time: {}, problem: /^nothing$/ },
  ])('judges when a call began and how long it took: $what', ({ time, problem }) => {
    const told = callProblem(['A', { call: 'B', t: [10, 11], took: [1, 1] }], ['A', { text: 'B', time }]);
    expect(told ?? 'nothing').toMatch(problem);
  });

  it.each([
    [[10, 11], 10.5, true],
    [[10, 11], 18.5, false],
    [[10, 11], 5, false],
  ] as const)('tolerates for a recorded delay of %j s: %d s', ([least, most], took, right) => {
    expect(timeProblem('x', [[least, most]], [took]) === undefined).toBe(right);
  });
});
