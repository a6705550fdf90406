/** Makes identifiers of 64 hexadecimal digits, as container runtimes do. */
export type IdSource = () => string;

/** One round of a bijective 32-bit mix: different numbers stay different. */
function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const hex = (word: number): string => word.toString(16).padStart(8, '0');

/**
 * The same seed gives the same identifiers in the same order. The first eight digits alone are unique within a
 * source, so the short forms of command-line tools are unique too.
 */
export function seededIds(seed: number): IdSource {
  let made = 0;
  return () => {
    made += 1;
    let word = mix(made ^ mix(seed));
    let id = hex(word);
    for (let part = 1; part < 8; part += 1) {
      word = mix(word + Math.imul(part, 0x9e3779b9) + seed);
      id += hex(word);
    }
    return id;
  };
}
