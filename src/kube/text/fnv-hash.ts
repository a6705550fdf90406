/** The Fowler–Noll–Vo hash, variant 1a (IETF draft-eastlake-fnv): not for secrets, but stable and quick. */

/** Returns 32 bits, as an unsigned number. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/**
 * Returns 128 bits over the UTF-8 bytes of the texts, one after the other, as 32 hexadecimal digits.
 *
 * The state is six limbs of 22 bits (the last has 18). The prime is 2⁸⁸ + 315, and 88 is four limbs. One step is
 * therefore six small multiplications that all fit a 32-bit integer: no bigint, no allocation.
 */
export function fnv1a128(...texts: readonly string[]): string {
  // Offset basis 6c62272e 07bb0142 62b82175 6295c58d, cut into 22-bit limbs, lowest first.
  let [h0, h1, h2, h3, h4, h5] = OFFSET_BASIS;
  for (const text of texts) {
    const bytes = Buffer.from(text);
    // An index loop: only here does the iterator's cost show.
    for (let at = 0; at < bytes.length; at += 1) {
      const low = h0 ^ (bytes[at] ?? 0);
      const low1 = h1;
      let carried = low * 315;
      h0 = carried & LIMB;
      carried = low1 * 315 + (carried >>> 22);
      h1 = carried & LIMB;
      carried = h2 * 315 + (carried >>> 22);
      h2 = carried & LIMB;
      carried = h3 * 315 + (carried >>> 22);
      h3 = carried & LIMB;
      carried = h4 * 315 + (carried >>> 22) + low;
      h4 = carried & LIMB;
      carried = h5 * 315 + (carried >>> 22) + low1;
      h5 = carried & TOP_LIMB;
    }
  }
  const limbs = [h5, h4, h3, h2, h1, h0];
  return limbs
    .reduce((value, limb) => (value << 22n) | BigInt(limb), 0n)
    .toString(16)
    .padStart(32, '0');
}

const LIMB = 0x3fffff;
const TOP_LIMB = 0x3ffff;

const limbAt = (value: bigint, index: number): number => Number((value >> BigInt(22 * index)) & BigInt(LIMB));
const BASIS = 0x6c62272e07bb014262b821756295c58dn;
// Six numbers go in, so six come out.
const OFFSET_BASIS = [0, 1, 2, 3, 4, 5].map((index) => limbAt(BASIS, index)) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
