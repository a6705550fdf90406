import { own } from './text/own.ts';
import type { Quantity } from './pod.ts';

/**
 * Resource amounts as Kubernetes writes them (`100m`, `1.5Gi`, `2e3`): exact down to 10⁻⁹, as bigint. Finer amounts are
 * rounded away from zero; larger ones than 2⁶³−1 are cut to it.
 */

type QuantityFormat = 'decimal-si' | 'binary-si' | 'decimal-exponent';

export interface ParsedQuantity {
  /** The amount in 10⁻⁹ units. */
  readonly nano: bigint;
  /** The family of suffixes in which the amount was written, and is formatted again. */
  readonly format: QuantityFormat;
}

export type QuantityResult =
  { readonly ok: true; readonly quantity: ParsedQuantity } | { readonly ok: false; readonly message: string };

const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const LARGEST = (2n ** 63n - 1n) * NANO;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const DECIMAL_SUFFIX_BY_EXPONENT = new Map(
  Object.entries(DECIMAL_EXPONENTS).map(([suffix, exponent]) => [exponent, suffix]),
);
const BINARY_SUFFIXES = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d{1,9})?$/;
/** The amounts of nearly every pod: few digits, and a unit that divides nothing. */
const COMMON = /^(\d{1,12})(m|Ki|Mi|Gi)?$/;
const NANO_OF_COMMON: Readonly<Record<string, bigint>> = {
  '': NANO,
  m: MILLI,
  Ki: 1024n * NANO,
  Mi: 1024n ** 2n * NANO,
  Gi: 1024n ** 3n * NANO,
};

const divideAwayFromZero = (amount: bigint, by: bigint): bigint => {
  const whole = amount / by;
  if (whole * by === amount) return whole;
  return amount < 0n ? whole - 1n : whole + 1n;
};

const capped = (nano: bigint): bigint => (nano > LARGEST ? LARGEST : nano < -LARGEST ? -LARGEST : nano);

function nanoOf(digits: string, fractionDigits: number, exponent: number): bigint {
  const shift = exponent - fractionDigits + 9;
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 0n;
  // The number of digits alone decides both ends, so that an absurd exponent costs nothing.
  if (significant.length + shift > 40) return LARGEST;
  if (significant.length + shift < -1) return 1n;
  return shift >= 0
    ? BigInt(significant) * 10n ** BigInt(shift)
    : divideAwayFromZero(BigInt(significant), 10n ** BigInt(-shift));
}

/** Parses an amount. Malformed text is a normal result, with a message that names the text. */
export function parseQuantity(quantity: Quantity): QuantityResult {
  const text = typeof quantity === 'number' ? String(quantity) : quantity;
  const common = COMMON.exec(text);
  if (common !== null) {
    const suffix = common[2] ?? '';
    const nano = BigInt(common[1] ?? '0') * (own(NANO_OF_COMMON, suffix) ?? NANO);
    return { ok: true, quantity: { nano: capped(nano), format: suffix.endsWith('i') ? 'binary-si' : 'decimal-si' } };
  }
  const match = SHAPE.exec(text);
  const whole = match?.[2] ?? '';
  const fraction = match?.[3] ?? '';
  if (match === null || whole + fraction === '') {
    return { ok: false, message: `${JSON.stringify(text)} is not an amount (examples: 500m, 2, 1.5Gi, 1e3)` };
  }
  const suffix = match[4] ?? '';
  const power = BINARY_SUFFIXES.indexOf(suffix) + 1;
  let nano: bigint;
  let format: QuantityFormat;
  if (power > 0) {
    const scaled = BigInt(whole + fraction) * 1024n ** BigInt(power) * NANO;
    nano = divideAwayFromZero(scaled, 10n ** BigInt(fraction.length));
    format = 'binary-si';
  } else {
    const exponent = own(DECIMAL_EXPONENTS, suffix);
    nano = nanoOf(whole + fraction, fraction.length, exponent ?? Number(suffix.slice(1)));
    format = exponent === undefined ? 'decimal-exponent' : 'decimal-si';
  }
  return { ok: true, quantity: { nano: capped(match[1] === '-' ? -nano : nano), format } };
}

/** Returns the amount in 10⁻⁹ units. Absent counts as 0. Malformed does too, because validation refuses it earlier. */
export function quantityNano(quantity: Quantity | undefined): bigint {
  if (quantity === undefined) return 0n;
  const parsed = parseQuantity(quantity);
  return parsed.ok ? parsed.quantity.nano : 0n;
}

/** Returns the amount in thousandths, rounded away from zero: the unit of CPU. Absent or malformed counts as 0. */
export const quantityMilli = (quantity: Quantity | undefined): bigint =>
  quantity === undefined ? 0n : divideAwayFromZero(quantityNano(quantity), MILLI);

/** Returns the amount in whole units (bytes), rounded away from zero. Absent or malformed counts as 0. */
export const quantityValue = (quantity: Quantity | undefined): bigint =>
  quantity === undefined ? 0n : divideAwayFromZero(quantityNano(quantity), NANO);

/** Returns `quantity / divisor`, rounded up, for a `resourceFieldRef`. A divisor of 0 counts as 1. */
export function quantityDividedBy(quantity: Quantity | undefined, divisor: Quantity | undefined): bigint {
  const by = quantityNano(divisor);
  return divideAwayFromZero(quantityNano(quantity), by === 0n ? NANO : by);
}

function canonicalDecimal(nano: bigint, format: QuantityFormat): string {
  let exponent = -9;
  let mantissa = nano;
  while (exponent < 18 && mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (format !== 'decimal-exponent') return `${mantissa}${DECIMAL_SUFFIX_BY_EXPONENT.get(exponent) ?? ''}`;
  return exponent === 0 ? String(mantissa) : `${mantissa}e${exponent}`;
}

/**
 * Returns the canonical form of an amount: no fraction, the largest suffix that keeps it exact. Binary suffixes fall
 * back to decimal ones when the amount is below 1024 or not whole. Malformed text is returned unchanged.
 */
export function canonicalQuantity(quantity: Quantity): string {
  const parsed = parseQuantity(quantity);
  return parsed.ok ? formatQuantity(parsed.quantity) : String(quantity);
}

/** Formats an amount in its own family of suffixes; see `canonicalQuantity`. */
export function formatQuantity({ nano, format }: ParsedQuantity): string {
  if (nano === 0n) return '0';
  const magnitude = nano < 0n ? -nano : nano;
  if (format !== 'binary-si') return canonicalDecimal(nano, format);
  if (magnitude % NANO !== 0n || magnitude < 1024n * NANO) return canonicalDecimal(nano, 'decimal-si');
  let mantissa = nano / NANO;
  let power = 0;
  while (power < BINARY_SUFFIXES.length && mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    power += 1;
  }
  return `${mantissa}${power === 0 ? '' : BINARY_SUFFIXES[power - 1]}`;
}
