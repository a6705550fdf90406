import { later, type Clock } from '../actor/clock.ts';
import type { FaultEngine } from './fault-engine.ts';

/** Returns a clock that goes wrong as the present plans require. Without a plan it is the underlying clock. */
export const faultyClock = (clock: Clock, engine: () => FaultEngine | undefined): Clock => ({
  now() {
    const present = engine();
    if (present === undefined || !present.watches('clock')) return clock.now();
    return later(clock.now(), present.clockShiftMs(clock.monotonic()));
  },
  monotonic: () => clock.monotonic(),
  after(delayMs, fire) {
    const present = engine();
    if (present === undefined || !present.watches('clock')) return clock.after(delayMs, fire);
    const action = present.decide({ at: 'clock' })?.action;
    return clock.after(delayMs + (action?.type === 'delay' ? action.delayMs : 0), fire);
  },
});
