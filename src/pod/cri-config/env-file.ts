export type EnvFile = { readonly ok: true; readonly variables: ReadonlyMap<string, string> } | { readonly ok: false };

// Sticky: each match must begin where the last one ended.
const NAME = /[ \t]*([^\s='#][^\s=']*)='/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;

/**
 * Parses a file of environment variables (KEP-3721): one `NAME='value'` a line. A value is taken literally up to the
 * next quote and may contain line ends. Blank lines and comments are skipped. Any other line makes the whole file
 * malformed.
 */
export function parseEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    BLANK.lastIndex = at;
    if (BLANK.test(text)) {
      at = BLANK.lastIndex;
      continue;
    }
    NAME.lastIndex = at;
    const match = NAME.exec(text);
    const begin = NAME.lastIndex;
    const end = match === null ? -1 : text.indexOf("'", begin);
    if (match === null || end < 0) return { ok: false };
    variables.set(match[1] ?? '', text.slice(begin, end));
    BLANK.lastIndex = end + 1;
    if (!BLANK.test(text)) return { ok: false };
    at = BLANK.lastIndex;
  }
  return { ok: true, variables };
}
