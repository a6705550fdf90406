import { visitRegExpAST, type AST } from '@eslint-community/regexpp';
import { getFirstConsumedChar, hasSomeAncestor, isPotentiallyZeroLength } from 'regexp-ast-analysis';

type Group = AST.Group | AST.CapturingGroup;

/**
 * Finds alternatives inside a repetition that begin with the same character. Each such character may match either
 * alternative, which gives exponentially many ways. The checker itself looks at repetitions only.
 */
export function overlappingAlternatives(pattern: AST.Pattern, flags: AST.Flags): readonly string[] {
  const faults: string[] = [];
  const look = (group: Group): void => {
    if (group.alternatives.length > 1 && hasSomeAncestor(group, isUnbounded) && overlap(group, flags))
      faults.push(`may take exponential time: alternatives in ${group.raw} begin alike, or may be empty`);
  };
  visitRegExpAST(pattern, { onGroupEnter: look, onCapturingGroupEnter: look });
  return faults;
}

const isUnbounded = (node: AST.Node): boolean => node.type === 'Quantifier' && node.max === Infinity;

const overlap = ({ alternatives, parent }: Group, flags: AST.Flags): boolean =>
  alternatives.some((one, index) => {
    if (parent.type === 'Quantifier' && isPotentiallyZeroLength(one, flags)) return true;
    const { char } = getFirstConsumedChar(one, 'ltr', flags);
    return alternatives
      .slice(index + 1)
      .some((other) => !getFirstConsumedChar(other, 'ltr', flags).char.isDisjointWith(char));
  });
