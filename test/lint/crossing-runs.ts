import type { AST } from '@eslint-community/regexpp';
import { Chars, getConsumedChars, isPotentiallyZeroLength } from 'regexp-ast-analysis';

type CharSet = ReturnType<typeof Chars.all>;
type Flags = AST.Flags;

/** One step of an expression, in the order of the text. */
interface Step {
  readonly chars: CharSet;
  /** Any number of one character class: `.*`, `\d+`. */
  readonly isRun: boolean;
  /** The step is optional. */
  readonly mayBeEmpty: boolean;
  readonly raw: string;
}

/**
 * Finds two runs that can both match the text between them. A text that repeats that part is divided in every way before
 * the match fails: `.*,a=.*;`. An unanchored expression has a run of any text before it: `name .* ends`. Only steps that
 * follow each other are compared; the checker itself finds nested repetitions.
 */
export function crossingRuns(pattern: AST.Pattern, flags: Flags): readonly string[] {
  return pattern.alternatives.flatMap((alternative) => {
    const before = stepsBefore(alternative, flags);
    const steps = [...before, ...alternative.elements.flatMap((element) => stepsOf(element, flags))];
    const crossing = steps.flatMap((first, from) =>
      steps.flatMap((second, to) => {
        const between = steps.slice(from + 1, to);
        const needed = between.filter(({ mayBeEmpty }) => !mayBeEmpty);
        if (!first.isRun || !second.isRun || needed.length === 0) return [];
        const isShared = needed.every(
          ({ chars }) => !chars.isDisjointWith(first.chars) && !chars.isDisjointWith(second.chars),
        );
        const mayFail = steps.slice(to + 1).some(({ mayBeEmpty }) => !mayBeEmpty);
        return isShared && mayFail ? [`${first.raw} and ${second.raw}`] : [];
      }),
    );
    return crossing.map((runs) => `takes quadratic time: ${runs} divide a text that repeats what is between them`);
  });
}

/** The text that may stand before the match. */
function stepsBefore({ elements: [first] }: AST.Alternative, flags: Flags): readonly Step[] {
  const anyText = { chars: Chars.all(flags), isRun: true, mayBeEmpty: true, raw: 'the text before' };
  if (flags.sticky) return [];
  if (first?.type !== 'Assertion' || first.kind !== 'start') return [anyText];
  return flags.multiline
    ? [anyText, { chars: Chars.lineTerminator(flags), isRun: false, mayBeEmpty: false, raw: '^' }]
    : [];
}

function stepsOf(element: AST.Element, flags: Flags): readonly Step[] {
  if (element.type === 'CapturingGroup' || element.type === 'Group') {
    const [only, ...others] = element.alternatives;
    if (only !== undefined && others.length === 0) return only.elements.flatMap((each) => stepsOf(each, flags));
  }
  // A lookaround or an assertion may reject any text that matched so far.
  if (element.type === 'Assertion')
    return [{ chars: Chars.all(flags), isRun: false, mayBeEmpty: element.kind === 'start', raw: element.raw }];
  const { chars } = getConsumedChars(element, flags);
  const mayBeEmpty = isPotentiallyZeroLength(element, flags);
  return [{ chars, isRun: isRun(element), mayBeEmpty, raw: element.raw }];
}

const isRun = (element: AST.Element): boolean =>
  element.type === 'Quantifier' &&
  element.max === Infinity &&
  ['Character', 'CharacterClass', 'CharacterSet'].includes(element.element.type);
