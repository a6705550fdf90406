/**
 * Replaces `$(NAME)` by the value that `valueOf` returns; an unknown name stays as written. `$$` is one dollar, and the
 * text after it is not read as a reference. Inserted values are not expanded again.
 */
export function expandVariables(text: string, valueOf: (name: string) => string | undefined): string {
  let expanded = '';
  let done = 0;
  for (let at = text.indexOf('$'); at >= 0 && at + 1 < text.length; at = text.indexOf('$', done)) {
    expanded += text.slice(done, at);
    const next = text[at + 1];
    if (next === '(') {
      const end = text.indexOf(')', at + 2);
      if (end >= 0) {
        const name = text.slice(at + 2, end);
        expanded += valueOf(name) ?? `$(${name})`;
        done = end + 1;
        continue;
      }
      expanded += '$(';
    } else {
      // `$$` is an escape. A dollar before any other character is plain text.
      expanded += next === '$' ? '$' : `$${next}`;
    }
    done = at + 2;
  }
  return expanded + text.slice(done);
}
