import { describe, expect, it } from 'vitest';
import { Uptime } from '../../../actors/uptime/actor.ts';
import { UPTIME, type UptimeProtocol } from '../../../actors/uptime/protocol.ts';
import { uptimeMs } from '../../../actors/uptime/state.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

describe('uptime', () => {
  it.each([
    { startedAt: 1_000, now: 1_000, is: 0 },
    { startedAt: 1_000, now: 61_000, is: 60_000 },
    { startedAt: 1_000, now: 0, is: 0 },
  ])('from $startedAt to $now is $is', ({ startedAt, now, is }) => {
    expect(uptimeMs(startedAt, now)).toBe(is);
  });

  it('is answered by the actor', async () => {
    const subject = await actorUnderTest<UptimeProtocol>({
      address: UPTIME,
      make: (context) => new Uptime(context),
      others: {},
    });
    await subject.clock.advance(5_000);
    expect(await subject.ask({ type: 'uptime' })).toBe(5_000);
  });
});
