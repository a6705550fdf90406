import { describe, expect, it } from 'vitest';
import { eventObject, eventPatch } from '../../../actors/event-recorder/event-object.ts';
import type { RecordedEvent } from '../../../actors/event-recorder/protocol.ts';

const recorded = (message: string): RecordedEvent => ({
  key: 'k',
  event: { object: { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }, type: 'Normal', reason: 'Tried', message },
  name: 'n.1',
  message,
  count: 1,
  firstAt: 0,
  lastAt: 0,
  inApi: 'no',
  waitingSince: undefined,
});
const source = { component: 'kubelet', host: 'n' };

describe('the message of an event', () => {
  it.each([
    { rule: 'is sent unchanged', message: 'x'.repeat(1_024), bytes: 1_024 },
    { rule: 'is cut to the API’s limit', message: 'x'.repeat(1_025), bytes: 1_024 },
    { rule: 'is never cut within a character', message: '容'.repeat(500), bytes: 1_023 },
  ])('$rule', ({ message, bytes }) => {
    for (const { message: sent } of [eventObject(recorded(message), source), eventPatch(recorded(message))]) {
      expect(Buffer.byteLength(sent)).toBe(bytes);
      expect(sent).not.toContain('\uFFFD');
    }
  });
});
