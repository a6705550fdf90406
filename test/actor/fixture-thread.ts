import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { serveThread } from '../../src/actor/threads/serve-thread.ts';
import { fixtureKind, fixturePlacement } from './fixture-actors.ts';

await serveThread(({ thread, config }) => {
  if (config === `${thread} dies at its start`) throw new Error('stillborn');
  return {
    kinds: { fixture: fixtureKind() },
    placement: fixturePlacement,
    clock: systemClock,
    random: seededRandom(1),
    log: silentLog,
    metrics: () => Promise.resolve(`up{thread="${thread}"} 1\n`),
  };
});
