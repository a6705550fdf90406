import { visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { crossingRuns } from './crossing-runs.ts';
import { overlappingAlternatives } from './overlapping-alternatives.ts';

/** A node of the linter's syntax tree, with the members that are used here. */
interface Node {
  readonly type: string;
}

interface Literal extends Node {
  readonly value: unknown;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

interface Construction extends Node {
  readonly callee: Node & { readonly name?: string; readonly property?: { readonly name?: string } };
  readonly arguments: readonly Node[];
}

interface RuleContext {
  report(finding: { readonly node: Node; readonly message: string }): void;
}

/**
 * Returns why an expression may take more than linear time on some text, or why that is unknown. Empty for a linear
 * expression. The checker is scslre. It does not follow references and assertions, so these must be bounded.
 */
export function faultsOf(pattern: string, flags: string): readonly string[] {
  const { parsed, reports } = analyse({ source: pattern, flags });
  const slow = reports.map(({ exponential, character, type }) => {
    const cause = type === 'Move' ? 'is tried from every place in' : 'backtracks over';
    return `takes ${exponential ? 'exponential' : 'quadratic'} time: it ${cause} a run of ${character.literal.source}`;
  });
  return [
    ...slow,
    ...crossingRuns(parsed.pattern, parsed.flags),
    ...overlappingAlternatives(parsed.pattern, parsed.flags),
    ...unjudged(parsed.pattern),
  ];
}

function unjudged(pattern: AST.Pattern): readonly string[] {
  const faults: string[] = [];
  visitRegExpAST(pattern, {
    onBackreferenceEnter: ({ raw }) => {
      faults.push(`refers back with ${raw}, whose time is unknown`);
    },
    onAssertionEnter: (assertion) => {
      if (assertion.kind !== 'lookahead' && assertion.kind !== 'lookbehind') return;
      if (isUnbounded(assertion)) faults.push(`looks around without bound in ${assertion.raw}, whose time is unknown`);
    },
  });
  return faults;
}

function isUnbounded(assertion: AST.LookaroundAssertion): boolean {
  let unbounded = false;
  for (const alternative of assertion.alternatives)
    visitRegExpAST(alternative, {
      onQuantifierEnter: ({ max }) => {
        unbounded ||= max === Infinity;
      },
    });
  return unbounded;
}

const linearTime = {
  create: (context: RuleContext) => ({
    Literal(node: Literal) {
      if (node.regex === undefined) return;
      const { pattern, flags } = node.regex;
      for (const fault of faultsOf(pattern, flags)) context.report({ node, message: `/${pattern}/${flags} ${fault}.` });
    },
  }),
};

const NOT_BUILT =
  'An expression is built while the program runs, perhaps from text of others: write a literal, or match by hand (src/kube/text/glob.ts, src/kube/text/trim-run.ts).';

/** Methods of a string that compile their text argument to an expression. */
const MAKERS = new Set(['match', 'matchAll', 'search']);

const isText = ({ type, value }: Node & { readonly value?: unknown }): boolean =>
  type === 'TemplateLiteral' || type === 'BinaryExpression' || (type === 'Literal' && typeof value === 'string');

const notBuilt = {
  create(context: RuleContext) {
    const refuse = (node: Construction): void => {
      const { callee } = node;
      const [argument] = node.arguments;
      const name = callee.type === 'MemberExpression' ? callee.property?.name : callee.name;
      const isMadeOfText = name !== undefined && MAKERS.has(name) && argument !== undefined && isText(argument);
      if (name === 'RegExp' || isMadeOfText) context.report({ node, message: NOT_BUILT });
    };
    return { NewExpression: refuse, CallExpression: refuse };
  },
};

// The linter takes the plug-in from the default export.
export default {
  meta: { name: 'regular-expressions' },
  rules: { 'linear-time': linearTime, 'not-built': notBuilt },
};
