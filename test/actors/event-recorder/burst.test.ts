import { describe, expect, it } from 'vitest';
import type { EventWrite } from '../../../actors/event-recorder/protocol.ts';
import { defaultEventLimits, EventWrites } from '../../../actors/event-recorder/event-writes.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';

const PODS = 5_000;
const REASONS = ['Pulled', 'Created', 'Started'];

const eventOf = (pod: number, reason: string): EventToRecord => ({
  object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: `pod-${pod}`, uid: `uid-${pod}` },
  type: 'Normal',
  reason,
  message: `${reason} container`,
});

/** Writes all pending events, one round of calls after the other. */
function writeAll(state: EventWrites): EventWrite[] {
  const written: EventWrite[] = [];
  for (let writes = state.next(0); writes.length > 0; writes = state.next(0)) {
    for (const write of writes) {
      written.push(write);
      state.written(write, { ok: true, value: {} }, 0);
    }
  }
  return written;
}

describe('when the pods of a full node start at once', () => {
  it('each of their events is written once', () => {
    const state = new EventWrites(defaultEventLimits);
    for (const reason of REASONS) for (let pod = 0; pod < PODS; pod++) state.record(eventOf(pod, reason), 0, 0);
    const written = writeAll(state);
    expect(state.figures()).toMatchObject({ recorded: PODS * 3, dropped: 0, spam: 0, waiting: 0 });
    expect(new Set(written.map(({ recorded }) => recorded.name)).size).toBe(PODS * 3);
    expect(written.every(({ verb, count }) => verb === 'create' && count === 1)).toBe(true);
  });

  it('repetitions of events that no longer fit the memory are counted, not lost', () => {
    const state = new EventWrites(defaultEventLimits);
    for (let round = 0; round < 2; round++)
      for (let pod = 0; pod < PODS; pod++) state.record(eventOf(pod, 'Pulled'), 0, 0);
    const written = writeAll(state);
    expect(written).toHaveLength(PODS);
    expect(written.every(({ count }) => count === 2)).toBe(true);
  });
});
