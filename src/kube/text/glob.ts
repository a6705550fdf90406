/**
 * `true` if `text` matches `pattern`, where each `*` stands for any run of characters, the empty one included. Takes at
 * most `pattern.length * text.length` steps for any pattern, because it never returns to an earlier star.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let position = 0;
  /** The position after the last star, and the place in the text where the rest of the pattern was last tried. */
  let afterStar = -1;
  let triedFrom = 0;
  while (position < text.length) {
    if (pattern[at] === '*') {
      at += 1;
      afterStar = at;
      triedFrom = position;
    } else if (at < pattern.length && pattern[at] === text[position]) {
      at += 1;
      position += 1;
    } else if (afterStar >= 0) {
      triedFrom += 1;
      at = afterStar;
      position = triedFrom;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
