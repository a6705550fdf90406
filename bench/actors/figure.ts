import { percentile } from '../density/percentile.ts';

/** One number of a benchmark. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: '/s' | 'µs' | 'ms' | 'bytes' | 'MiB' | '%' | '';
  /** The target: a minimum for a rate, a maximum for all other figures. */
  readonly target?: number;
}

const digits = (value: number): number => (value >= 100 ? 0 : value >= 1 ? 1 : 3);

/** `undefined` when there is no target. */
export const meets = ({ value, unit, target }: Figure): boolean | undefined =>
  target === undefined ? undefined : unit === '/s' ? value >= target : value <= target;

export function asTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, value, unit, target } = figure;
    const number = value.toLocaleString('en', { maximumFractionDigits: digits(value) });
    const met = meets(figure);
    const verdict = met === undefined ? '' : `${met ? 'meets' : 'misses'} ${target?.toLocaleString('en')}`;
    return `${what.padEnd(58)}${number.padStart(12)} ${unit.padEnd(6)}${verdict}`.trimEnd();
  });
  return `${rows.join('\n')}\n`;
}

/** The middle and the slow end of some durations; `p99`: what the slow end is to be at most. */
export const spread = (
  what: string,
  values: readonly number[],
  { unit, p99 }: { readonly unit: Figure['unit']; readonly p99?: number },
): readonly Figure[] => [
  { what: `${what}, p50`, value: percentile(values, 50), unit },
  { what: `${what}, p99`, value: percentile(values, 99), unit, ...(p99 === undefined ? {} : { target: p99 }) },
];

/** The best of some rounds, the first of which warms up: other work on the machine only ever takes away. */
export async function bestRate(rounds: number, count: number, round: () => Promise<unknown>): Promise<number> {
  let best = 0;
  for (let each = 0; each <= rounds; each++) {
    const begun = performance.now();
    await round();
    best = Math.max(best, count / ((performance.now() - begun) / 1_000));
  }
  return best;
}
