import { describe, expect, it } from 'vitest';
import { foreignTime, type Interval } from './foreign-time.ts';

const call = (began: number, ended: number | undefined, pod = 'web') => ({
  pod,
  method: 'StopContainer',
  container: undefined,
  text: '',
  began,
  ended,
});

describe('time in which the agent cannot act', () => {
  it.each<{ what: string; calls: ReturnType<typeof call>[]; starts?: Interval[]; ms: number }>([
    { what: 'nothing under way', calls: [], ms: 0 },
    { what: 'a call within', calls: [call(20, 50)], ms: 30 },
    { what: 'a call that began before and has not ended', calls: [call(0, undefined)], ms: 90 },
    { what: 'overlapping calls in any order', calls: [call(40, 70), call(20, 50)], ms: 50 },
    { what: 'a call for another pod', calls: [call(20, 50, 'db')], ms: 0 },
    { what: 'a starting agent', calls: [], starts: [[30, 60]], ms: 30 },
    { what: 'a starting agent during a call', calls: [call(20, 50)], starts: [[30, 60]], ms: 40 },
    { what: 'an agent that started earlier', calls: [], starts: [[0, 9]], ms: 0 },
  ])('is $ms ms of ninety with $what', ({ calls, starts, ms }) => {
    expect(foreignTime({ calls, ...(starts && { agentStarts: starts }) }, 'web', [10, 100])).toBe(ms);
  });
});
