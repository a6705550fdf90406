import { describe, expect, it } from 'vitest';
import { type AgentEnd, afterAgentEnd, type LauncherVerdict, reasonOfEnd } from '../../src/agent/agent-end.ts';

const end = (more: Partial<AgentEnd>): AgentEnd => ({
  code: 0,
  signal: null,
  wasReady: true,
  wasAsked: false,
  at: 0,
  chance: 0,
  ...more,
});
const verdictOn = (more: Partial<AgentEnd>): LauncherVerdict => afterAgentEnd([], end(more));

describe('the launcher, when the agent process has ended', () => {
  it.each([
    { rule: 'exits with the code of an agent that it stopped', given: { wasAsked: true, code: 0 }, code: 0 },
    { rule: 'exits even if that agent failed while stopping', given: { wasAsked: true, code: 70 }, code: 70 },
    { rule: 'exits with the code of a signal', given: { wasAsked: true, code: null, signal: 'SIGKILL' }, code: 137 },
    { rule: 'exits after an agent that another process stopped', given: { code: 0 }, code: 0 },
    { rule: 'exits when the configuration is invalid', given: { code: 1, wasReady: false }, code: 1 },
  ] satisfies { rule: string; given: Partial<AgentEnd>; code: number }[])('$rule', ({ given, code }) => {
    expect(verdictOn(given)).toEqual({ type: 'exit', code });
  });

  it.each([
    { rule: 'restarts at once an agent that was killed', given: { code: null, signal: 'SIGKILL' }, afterMs: 0 },
    { rule: 'restarts at once an agent that ran out of memory', given: { code: 134 }, afterMs: 0 },
    { rule: 'restarts at once an agent that exceeded its memory limit', given: { code: 72 }, afterMs: 0 },
    {
      rule: 'waits after an agent that exceeded its memory limit at its start',
      given: { code: 72, wasReady: false },
      afterMs: 1_000,
    },
    { rule: 'restarts at once after an uncaught error', given: { code: 1, wasReady: true }, afterMs: 0 },
    {
      rule: 'waits before it restarts an agent that was never ready',
      given: { code: 70, wasReady: false },
      afterMs: 1_000,
    },
  ] satisfies { rule: string; given: Partial<AgentEnd>; afterMs: number }[])('$rule', ({ given, afterMs }) => {
    expect(verdictOn(given)).toMatchObject({ type: 'restart', afterMs });
  });

  it('waits longer each time, up to half a minute, and restarts for ever', () => {
    const delays: number[] = [];
    let history: readonly number[] = [];
    for (let at = 0; at < 9; at++) {
      const verdict = afterAgentEnd(history, end({ code: 70, at }));
      if (verdict.type !== 'restart') throw new Error('it gave up');
      delays.push(verdict.afterMs);
      history = verdict.history;
    }
    expect(delays).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('forgets old failures', () => {
    expect(afterAgentEnd([0, 1, 2, 3], end({ code: 70, at: 3_600_000 }))).toMatchObject({ afterMs: 0 });
  });
});

describe('the reason why an agent process has ended', () => {
  it.each([
    { end: { code: 70, signal: null }, reason: 'the agent exited with code 70' },
    { end: { code: null, signal: 'SIGSEGV' }, reason: 'the agent was killed by SIGSEGV' },
    {
      end: { code: 72, signal: null },
      reason: 'the agent exceeded its memory limit; its last log lines name the largest holders',
    },
    { end: { code: null, signal: 'SIGKILL' }, killedFor: 'it held 9 MiB', reason: 'it held 9 MiB' },
  ] as const)('is reported for $end: $reason', ({ end: { code, signal }, reason, ...more }) => {
    expect(reasonOfEnd({ code, signal }, 'killedFor' in more ? more.killedFor : undefined)).toBe(reason);
  });
});
