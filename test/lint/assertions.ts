/** A node of the linter's syntax tree or a comment, with the members that are used here. */
interface Placed {
  readonly type: string;
  readonly loc: Record<'start' | 'end', { readonly line: number; readonly column: number }>;
}

interface Assertion extends Placed {
  readonly expression: Placed;
  readonly typeAnnotation: Placed & { readonly typeName?: { readonly name?: string } };
  readonly parent: Placed;
}

interface Comment extends Placed {
  readonly value: string;
}

interface RuleContext {
  readonly sourceCode: { readonly lines: readonly string[]; getAllComments(): readonly Comment[] };
  report(finding: { readonly node: Placed; readonly message: string }): void;
}

const NO_REASON =
  'A type assertion overrules the compiler. Give the reason in a comment on its line or the line above, or check the value (Object.entries, typeof, a guard).';

/** Comments for tools are no reason for a reader. */
const forTools = (text: string): boolean => /^\s*(?:oxlint-|eslint-|prettier-|@ts-)/.test(text);

/** The lines that a comment explains: its own lines, and the next line if the comment stands alone. */
function explainedLines(code: RuleContext['sourceCode']): Set<number> {
  const found = new Set<number>();
  for (const { value, loc } of code.getAllComments()) {
    if (forTools(value)) continue;
    found.add(loc.end.line);
    const before = code.lines[loc.start.line - 1]?.slice(0, loc.start.column) ?? '';
    if (/^[\s?:]*$/.test(before)) found.add(loc.end.line + 1);
  }
  return found;
}

const isConst = ({ typeAnnotation: { type, typeName } }: Assertion): boolean =>
  type === 'TSTypeReference' && typeName?.name === 'const';

const withReason = {
  create(context: RuleContext) {
    const found: Assertion[] = [];
    const note = (node: Assertion): void => {
      // `x as unknown as T` is one assertion, which the outer node stands for.
      if (!isConst(node) && node.parent.type !== 'TSAsExpression') found.push(node);
    };
    return {
      TSAsExpression: note,
      TSTypeAssertion: note,
      'Program:exit'() {
        if (found.length === 0) return;
        const explained = explainedLines(context.sourceCode);
        const linesOf = ({ loc, expression, typeAnnotation }: Assertion): readonly number[] => [
          loc.start.line,
          expression.loc.end.line,
          typeAnnotation.loc.start.line,
        ];
        for (const node of found.toSorted((one, other) => one.loc.start.line - other.loc.start.line)) {
          const lines = linesOf(node);
          if (!lines.some((line) => explained.has(line))) context.report({ node, message: NO_REASON });
          // One reason serves assertions on the lines that follow each other.
          else explained.add(Math.max(...lines) + 1);
        }
      },
    };
  },
};

// The linter takes the plug-in from the default export.
export default { meta: { name: 'assertions' }, rules: { 'with-reason': withReason } };
