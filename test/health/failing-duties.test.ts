import { describe, expect, it } from 'vitest';
import { failingDuties } from '../../actors/health-monitor/client.ts';
import { HEALTH_MONITOR } from '../../actors/health-monitor/protocol.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { actorUnderTest } from '../support/actor-under-test.ts';

/** An actor that asks for the failing duties, as the kubelet server does. */
const asker = (context: ActorContext): Actor => {
  const ask = failingDuties(context);
  return { tell() {}, ask: () => ask() };
};

describe('the question for all failing duties', () => {
  it('names the monitor itself when it does not answer', async () => {
    const { ask, pass } = await actorUnderTest({
      address: 'asker',
      make: asker,
      others: { [HEALTH_MONITOR]: () => undefined },
    });
    const answer = ask({ type: 'anything' });
    await pass(5_000);
    expect(await answer).toMatchObject([
      { actor: HEALTH_MONITOR, work: 'report failing duties', why: expect.stringMatching(/./) as string },
    ]);
  });
});
