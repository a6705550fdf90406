import { describe, expect, it } from 'vitest';
import { defaultEventLimits, EventWrites } from '../../../actors/event-recorder/event-writes.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';

const event: EventToRecord = {
  object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'web' },
  type: 'Warning',
  reason: 'BackOff',
  message: 'Back-off restarting failed container',
};
const HOUR = 3_600_000;

describe('when the clock of the machine is set', () => {
  it.each([
    { how: 'back', setBy: -HOUR },
    { how: 'ahead', setBy: HOUR },
  ])('$how, the events of one object are limited as before', ({ setBy }) => {
    const state = new EventWrites(defaultEventLimits);
    for (let count = 0; count < 25; count++) state.record(event, HOUR, 0);
    state.record(event, HOUR + setBy, 299_000);
    expect(state.figures().spam).toBe(1);
    state.record(event, HOUR + setBy, 301_000);
    expect(state.figures().spam).toBe(1);
  });
});
