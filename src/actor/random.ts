/** Chance for the whole agent: a number in [0, 1). It is passed in, so that a seed replays a run. */
export type Random = () => number;

/** A small seeded generator (mulberry32): good enough for jitter and schedules, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** The one place that touches real chance. */
// oxlint-disable-next-line no-restricted-properties -- this is the seam
export const systemRandom: Random = () => Math.random();

/** Returns `base` plus up to `factor` times `base`: the kubelet's jitter. */
export const jitter = (base: number, factor: number, random: Random): number => base + random() * factor * base;
