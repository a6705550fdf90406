import { own } from './own.ts';

const SHORT: Readonly<Record<string, string>> = {
  '"': String.raw`\"`,
  '\\': String.raw`\\`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
};

/** Quotes text as Go does (`strconv.Quote`): unprintable characters are escaped, all others stay. */
export const goQuoted = (text: string): string =>
  `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => own(SHORT, char) ?? escaped(char))}"`;

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return String.raw`\x` + code.toString(16).padStart(2, '0');
  return code > 0xffff
    ? String.raw`\U` + code.toString(16).padStart(8, '0')
    : String.raw`\u` + code.toString(16).padStart(4, '0');
}
