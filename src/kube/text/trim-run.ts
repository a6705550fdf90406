/**
 * Trims runs of one character by index, in linear time. A regular expression such as `/x+$/` takes quadratic time on a
 * long run that is not at the end.
 */

/** Returns the text without the characters of `set` at its end. */
export function trimEndOf(text: string, set: string): string {
  let end = text.length;
  while (end > 0 && set.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Returns the text without the characters of `set` at its start. */
export function trimStartOf(text: string, set: string): string {
  let start = 0;
  while (start < text.length && set.includes(text.charAt(start))) start += 1;
  return text.slice(start);
}
