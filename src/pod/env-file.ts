export type EnvFile =
  { readonly ok: true; readonly variables: ReadonlyMap<string, string> } | { readonly ok: false };

const NAME = /^[ \t]*([^\s='#][^\s=']*)='/y;
const BLANK = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;

/**
 * Reads a file of environment variables (KEP-3721): `NAME='value'` a line, where a value is taken as it stands up to the
 * next quote and may hold line ends; blank lines and comments are skipped. Anything else makes the whole file malformed.
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
    const name = new RegExp(NAME.source, 'y');
    name.lastIndex = at;
    const match = name.exec(text);
    const end = match === null ? -1 : text.indexOf("'", name.lastIndex);
    if (match === null || end < 0) return { ok: false };
    variables.set(match[1] ?? '', text.slice(name.lastIndex, end));
    BLANK.lastIndex = end + 1;
    if (!BLANK.test(text)) return { ok: false };
    at = BLANK.lastIndex;
  }
  return { ok: true, variables };
}
