import { own } from './own.ts';
import { trimEndOf } from './trim-run.ts';

/**
 * Durations as Go writes them: a sign, then amounts with units (`1m30s`, `300ms`, `1.5h`). Only a zero may go without a unit.
 * Inside this program a duration is a number of milliseconds, with a fraction where nanoseconds ask for one.
 */

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // Two code points look like a micro sign; Go accepts both.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const LARGEST = 2n ** 63n - 1n;
const AMOUNT = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/**
 * Returns the duration in milliseconds. `undefined` for text that Go would reject, also beyond its 64 bits of
 * nanoseconds.
 */
export function parseGoDuration(text: string): number | undefined {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  if (unsigned === '') return undefined;
  let nanoseconds = 0n;
  let at = 0;
  while (at < unsigned.length) {
    AMOUNT.lastIndex = at;
    const match = AMOUNT.exec(unsigned);
    const [all = '', whole = '', fraction = '', unit = ''] = match ?? [];
    const scale = own(NANOSECONDS, unit);
    if (scale === undefined || whole + fraction === '' || whole.length > 19) return undefined;
    // Digits below a nanosecond have no effect, so no more digits are read.
    const digits = fraction.slice(0, 18);
    nanoseconds += BigInt(whole === '' ? '0' : whole) * scale;
    nanoseconds += (BigInt(digits === '' ? '0' : digits) * scale) / 10n ** BigInt(digits.length);
    if (nanoseconds > LARGEST) return undefined;
    at += all.length;
  }
  // Whole milliseconds are kept apart from the rest: together they would exceed the exact range of a number.
  const milliseconds = Number(nanoseconds / 1_000_000n) + Number(nanoseconds % 1_000_000n) / 1_000_000;
  return negative ? -milliseconds : milliseconds;
}

/**
 * Returns a duration as Go prints a `time.Duration`: `90_000` is `1m30s`, `3_600_000` is `1h0m0s`, `1_500` is `1.5s`.
 * {@link parseGoDuration} reads it back.
 */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  const sign = milliseconds < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(milliseconds));
  const total = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(milliseconds) - whole) * 1_000_000));
  for (const unit of ['ns', '\u00b5s', 'ms'] as const) {
    const scale = own(NANOSECONDS, unit) ?? 1n;
    if (total < scale * 1_000n && total < NANOSECONDS_OF_SECOND) return `${sign}${decimal(total, scale)}${unit}`;
  }
  const minutes = total / (60n * NANOSECONDS_OF_SECOND);
  const seconds = `${decimal(total % (60n * NANOSECONDS_OF_SECOND), NANOSECONDS_OF_SECOND)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

const NANOSECONDS_OF_SECOND = 1_000_000_000n;

/** Returns `amount / scale` without zeros at the end. `scale` is a power of ten. */
function decimal(amount: bigint, scale: bigint): string {
  const fraction = String(amount % scale).padStart(String(scale).length - 1, '0');
  const digits = trimEndOf(fraction, '0');
  return `${amount / scale}${digits === '' ? '' : `.${digits}`}`;
}
