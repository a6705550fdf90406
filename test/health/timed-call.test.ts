import { describe, expect, it } from 'vitest';
import { timedCall } from '../../actors/health-monitor/client.ts';
import { isNotFound, type ApiFault, type ApiOutcome } from '../../src/api/api-request.ts';
import { silentLog } from '../../src/actor/log.ts';
import { Duty, type FailingDuty } from '../../src/health/duty.ts';
import { manualClock, settled } from '../support/manual-clock.ts';

const refused = (code: number, reason: string): ApiFault => ({
  kind: 'refused',
  code,
  reason,
  message: `refused with ${code}`,
});

/** What an operator sees of a call that ends at once, or never. */
async function shownAfter(outcome: ApiOutcome<string> | 'no answer', seconds: number): Promise<string | undefined> {
  const clock = manualClock();
  const reports: (FailingDuty | undefined)[] = [];
  const spec = { work: 'write events', follows: 'events are lost' };
  const duty = new Duty(spec, { clock, log: silentLog, report: (failing) => void reports.push(failing) });
  const call = outcome === 'no answer' ? new Promise<never>(() => {}) : Promise.resolve(outcome);
  void timedCall(duty.attempt('the patch of an event'), call, isNotFound);
  await settled();
  clock.advance(seconds * 1_000);
  return reports.at(-1)?.why;
}

describe('a call to the API server for a duty', () => {
  it.each<{ rule: string; outcome: ApiOutcome<string> | 'no answer'; why: string | undefined }>([
    { rule: 'answered', outcome: { ok: true, value: '' }, why: undefined },
    { rule: 'refused', outcome: { ok: false, fault: refused(403, 'Forbidden') }, why: 'refused with 403' },
    {
      rule: 'refused in a way that is no failure here',
      outcome: { ok: false, fault: refused(404, 'NotFound') },
      why: undefined,
    },
    {
      rule: 'timed out',
      outcome: { ok: false, fault: { kind: 'timed-out', message: 'no answer in 30 s' } },
      why: 'no answer in 30 s',
    },
    {
      rule: 'to a server that is away, which the API gateway reports',
      outcome: { ok: false, fault: { kind: 'unreachable', message: 'connection refused' } },
      why: undefined,
    },
    {
      rule: 'that was not made',
      outcome: { ok: false, fault: { kind: 'not-sent', message: 'the queue is full' } },
      why: undefined,
    },
    { rule: 'without an answer', outcome: 'no answer', why: 'the patch of an event has no answer yet' },
  ])('$rule: $why', async ({ outcome, why }) => {
    expect(await shownAfter(outcome, 9.999)).toBeUndefined();
    expect(await shownAfter(outcome, 10)).toBe(why);
  });
});
