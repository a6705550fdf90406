import type { ScalarType } from '../fields/config-schema.ts';
import type { ConfigValue } from '../fields/config-value.ts';
import { parseGoDuration } from '../../kube/text/go-duration.ts';

/** Single values as they come out of YAML (integers as bigint), and what each type makes of them. */

export type ScalarResult =
  { readonly ok: true; readonly value: ConfigValue } | { readonly ok: false; readonly expected: string };

interface IntegerRange {
  readonly lowest: bigint;
  readonly highest: bigint;
}

const INTEGERS: Readonly<Record<'int32' | 'int64' | 'uint32', IntegerRange>> = {
  int32: { lowest: -(2n ** 31n), highest: 2n ** 31n - 1n },
  int64: { lowest: -(2n ** 63n), highest: 2n ** 63n - 1n },
  uint32: { lowest: 0n, highest: 2n ** 32n - 1n },
};
const DURATION = 'a duration such as "1m30s" or "300ms"';

const accept = (value: ConfigValue): ScalarResult => ({ ok: true, value });
const refuse = (expected: string): ScalarResult => ({ ok: false, expected });

function readDuration(raw: unknown): ScalarResult {
  const milliseconds = typeof raw === 'string' ? parseGoDuration(raw) : undefined;
  return milliseconds === undefined ? refuse(DURATION) : accept(milliseconds);
}

/**
 * Returns the value of `raw` for a field of this type. Text and numbers are not converted into each other, as in Go's
 * JSON.
 */
export function readScalar(type: ScalarType, raw: unknown): ScalarResult {
  switch (type) {
    case 'bool':
      return typeof raw === 'boolean' ? accept(raw) : refuse('true or false');
    case 'string': {
      if (typeof raw === 'string') return accept(raw);
      const quotable = typeof raw === 'bigint' || typeof raw === 'number' || typeof raw === 'boolean';
      return refuse(quotable ? `text: write it in quotes, "${String(raw)}"` : 'text');
    }
    case 'int32':
    case 'int64':
    case 'uint32': {
      const { lowest, highest } = INTEGERS[type];
      const fits = typeof raw === 'bigint' && raw >= lowest && raw <= highest;
      return fits ? accept(Number(raw)) : refuse(`an integer from ${lowest} to ${highest}`);
    }
    case 'float64': {
      const number = typeof raw === 'bigint' ? Number(raw) : raw;
      return typeof number === 'number' && Number.isFinite(number) ? accept(number) : refuse('a number');
    }
    case 'duration':
      return readDuration(raw);
    case 'duration or ns':
      return typeof raw === 'bigint' ? accept(Number(raw) / 1_000_000) : readDuration(raw);
    case 'quantity':
      if (typeof raw === 'bigint' || typeof raw === 'number') return accept(String(raw));
      return typeof raw === 'string' ? accept(raw) : refuse('an amount such as 10Mi');
    default:
      return type satisfies never;
  }
}

/** As `readScalar` for the text of a flag, where only the type decides if `5` is a number. */
export function readScalarText(type: ScalarType, text: string): ScalarResult {
  switch (type) {
    case 'bool':
      if (/^(1|t|T|true|TRUE|True)$/.test(text)) return accept(true);
      return /^(0|f|F|false|FALSE|False)$/.test(text) ? accept(false) : refuse('true or false');
    case 'int32':
    case 'int64':
    case 'uint32':
      return readScalar(type, /^[+-]?\d{1,30}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined);
    case 'float64':
      return readScalar(type, text.trim() === '' ? undefined : Number(text));
    case 'string':
    case 'quantity':
    case 'duration':
    case 'duration or ns':
      return readScalar(type, text);
    default:
      return type satisfies never;
  }
}
