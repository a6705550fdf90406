const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Durations below `until` are written in `unit`, followed by the next smaller unit where it adds precision. */
interface Step {
  readonly until: number;
  readonly unit: readonly [size: number, letter: string];
  readonly rest?: readonly [size: number, letter: string];
}

const steps: readonly Step[] = [
  { until: 2 * MINUTE, unit: [SECOND, 's'] },
  { until: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [SECOND, 's'] },
  { until: 3 * HOUR, unit: [MINUTE, 'm'] },
  { until: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { until: 2 * DAY, unit: [HOUR, 'h'] },
  { until: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { until: 2 * YEAR, unit: [DAY, 'd'] },
  { until: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { until: Infinity, unit: [YEAR, 'y'] },
];

/**
 * Returns a duration as kubectl shows ages: about three digits, in one or two units. A small clock difference counts as
 * zero.
 */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * SECOND) return '<invalid>';
  const amount = Math.max(0, milliseconds);
  const { unit, rest } = steps.find(({ until }) => amount < until) ?? steps[0]!;
  const [size, letter] = unit;
  const whole = `${Math.floor(amount / size)}${letter}`;
  if (rest === undefined) return whole;
  const remaining = Math.floor((amount % size) / rest[0]);
  return remaining === 0 ? whole : `${whole}${remaining}${rest[1]}`;
}

/** The time since an instant that Kubernetes wrote. */
export function ageSince(instant: unknown, now: number): string {
  const at = typeof instant === 'string' ? Date.parse(instant) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now - at);
}
