import { describe, expect, it } from 'vitest';
import { EventCorrelator } from '../../../actors/event-recorder/correlate.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';
import { podEventObject } from '../../../src/kube/event.ts';
import { pod } from '../../pod/pods.ts';

const event = (message: string, reason = 'BackOff'): EventToRecord => ({
  object: podEventObject(pod(), 'main'),
  type: 'Warning',
  reason,
  message,
});

describe('similar events', () => {
  it('are combined when they have the same text and object', () => {
    const correlator = new EventCorrelator();
    const [one, other] = [correlator.correlate(event('x'), 0), correlator.correlate(event('x'), 1)];
    expect(one).toEqual(other);
    expect(correlator.correlate(event('y'), 2)).not.toEqual(one);
  });

  it('are separate for different containers', () => {
    const correlator = new EventCorrelator();
    const ofPod = { ...event('x'), object: podEventObject(pod()) };
    expect(correlator.correlate(event('x'), 0)).not.toEqual(correlator.correlate(ofPod, 1));
  });

  it('are aggregated from the tenth text on, and separate again after ten quiet minutes', () => {
    const correlator = new EventCorrelator();
    const told = Array.from({ length: 12 }, (_, index) => correlator.correlate(event(`text ${index}`), index));
    expect(told.slice(0, 9).map((each) => each.type === 'event' && each.message)).toEqual(
      Array.from({ length: 9 }, (_, index) => `text ${index}`),
    );
    expect(told[9]).toMatchObject({ message: '(combined from similar events): text 9' });
    expect(told[11]).toMatchObject({
      message: '(combined from similar events): text 11',
      key: 'key' in told[9]! ? told[9].key : '',
    });
    expect(correlator.correlate(event('later'), 600_012)).toMatchObject({ message: 'later' });
  });

  it('of one object are limited to 25 at once, then one in five minutes', () => {
    const correlator = new EventCorrelator();
    const kinds = Array.from({ length: 27 }, () => correlator.correlate(event('x'), 0).type);
    expect(kinds.filter((type) => type === 'event')).toHaveLength(25);
    expect(correlator.correlate(event('x'), 299_000).type).toBe('spam');
    expect(correlator.correlate(event('x'), 301_000).type).toBe('event');
  });
});
