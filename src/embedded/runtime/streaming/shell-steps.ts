/** One command of a line, and on which result of the previous command it runs. */
export interface ShellStep {
  readonly when: 'always' | 'after-success' | 'after-failure';
  readonly words: readonly ShellWord[];
  /** The target of its output. */
  readonly stdout: Target;
  readonly stderr: Target;
}

export type Target = 'stdout' | 'stderr' | 'nowhere';
/** Text mixed with names of variables. */
export type ShellWord = readonly (string | { readonly variable: string })[];

/** A syntax that this shell does not support. */
export class ShellSyntaxError extends Error {}

const TOKEN =
  /\s*(?:(&&|\|\||;|\n)|(1?>&2|2>&1|1?>\/dev\/null|2>\/dev\/null)|(#[^\n]*)|((?:[^\s;&|<>'"\\$]|\\[^]|'[^']*'|"(?:[^"\\]|\\[^])*"|\$(?:\{\w+\}|\w+|\?|(?=[\s;]|$)))+))/y;
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\$\{(\w+)\}|\$(\w+|\?)|\\([^])|([^'"$\\]+|\$)/g;
const IN_QUOTES = /\$\{(\w+)\}|\$(\w+|\?)|\\([\\"$`])|\\\n|([^$\\]+|\$|\\)/g;

/**
 * Parses a command line of the simulated shell: words, quotes, variables, `;`, `&&`, `||`, and output redirected to
 * the other stream or to nowhere. Throws a `ShellSyntaxError` for the rest: pipes, files, loops.
 */
export function parseShell(text: string): readonly ShellStep[] {
  const steps: ShellStep[] = [];
  let when: ShellStep['when'] = 'always';
  let words: ShellWord[] = [];
  let outputs: { stdout: Target; stderr: Target } = { stdout: 'stdout', stderr: 'stderr' };
  const end = (next: ShellStep['when']): void => {
    if (words.length > 0) steps.push({ when, words, ...outputs });
    words = [];
    outputs = { stdout: 'stdout', stderr: 'stderr' };
    when = next;
  };
  TOKEN.lastIndex = 0;
  const textEnd = text.trimEnd().length;
  while (TOKEN.lastIndex < textEnd) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new ShellSyntaxError(`not understood here: ${text.slice(at).trim().slice(0, 20)}`);
    const [, operator, redirection, , word] = found;
    if (operator !== undefined)
      end(operator === '&&' ? 'after-success' : operator === '||' ? 'after-failure' : 'always');
    else if (redirection !== undefined) outputs = redirected(outputs, redirection);
    else if (word !== undefined) words.push(wordOf(word));
  }
  end('always');
  return steps;
}

function redirected(outputs: { stdout: Target; stderr: Target }, text: string): { stdout: Target; stderr: Target } {
  if (text.startsWith('2')) return { ...outputs, stderr: text.endsWith('null') ? 'nowhere' : outputs.stdout };
  return { ...outputs, stdout: text.endsWith('null') ? 'nowhere' : outputs.stderr };
}

function wordOf(text: string): ShellWord {
  return [...text.matchAll(PIECE)].flatMap(([, single, double, braced, named, escaped, plain]) => {
    const variable = braced ?? named;
    if (variable !== undefined) return [{ variable }];
    if (double !== undefined) return inQuotes(double);
    return [single ?? escaped ?? plain ?? ''];
  });
}

const inQuotes = (text: string): ShellWord => [
  '',
  ...[...text.matchAll(IN_QUOTES)].map(([, braced, named, escaped, plain]) => {
    const variable = braced ?? named;
    return variable === undefined ? (escaped ?? plain ?? '') : { variable };
  }),
];
