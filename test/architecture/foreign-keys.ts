import { relative } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isComputedPropertyName,
  isDeleteExpression,
  isElementAccessExpression,
  isObjectBindingPattern,
} from 'typescript/unstable/ast/is';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';

/** A place that reads, sets or looks for a member by a key that may be any text, `constructor` and `__proto__` too. */
export interface ForeignKey {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Possible problems: a key from any text, or a source with keys from any text (`Object.assign` loses `__proto__`). */
type Suspect = { readonly node: Node } & ({ readonly key: Node } | { readonly source: Node });

/** The places of a project's checked files that should go through `own`, `hasOwn` or `put` (src/kube/text/own.ts). */
export function foreignKeys(root: string, isChecked: (file: string) => boolean): readonly ForeignKey[] {
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] });
    return snapshot.getProjects().flatMap(({ program, checker }) =>
      program
        .getSourceFileNames()
        .filter((name) => name.startsWith(`${root}/`) && isChecked(relative(root, name)))
        .flatMap((name) => {
          const file = program.getSourceFile(name);
          return file === undefined ? [] : inFile(root, file, checker);
        }),
    );
  } finally {
    api.close();
  }
}

function inFile(root: string, file: SourceFile, checker: Checker): readonly ForeignKey[] {
  return [...suspectsIn(file)]
    .filter((suspect) =>
      'key' in suspect
        ? mayBeAnyText(checker.getTypeAtLocation(suspect.key), checker)
        : mayHaveAnyKey(checker.getTypeAtLocation(suspect.source), checker),
    )
    .map(({ node }) => {
      const start = node.getStart(file);
      const line = file.text.slice(0, start).split('\n').length;
      return { file: relative(root, file.fileName), line, text: file.text.slice(start, node.end) };
    });
}

const REFLECTED = /^Reflect\.(?:get|set|has)$/;

function* suspectsIn(node: Node): Generator<Suspect> {
  // Deleting by key touches own members only.
  const isDeleted = isElementAccessExpression(node) && isDeleteExpression(node.parent);
  if (isElementAccessExpression(node) && !isDeleted) yield { node, key: node.argumentExpression };
  if (isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword) yield { node, key: node.left };
  if (isObjectBindingPattern(node)) {
    for (const { propertyName } of node.elements) {
      if (propertyName !== undefined && isComputedPropertyName(propertyName))
        yield { node, key: propertyName.expression };
    }
  }
  if (isCallExpression(node)) {
    const called = node.expression.getText();
    const [, key] = node.arguments;
    if (REFLECTED.test(called) && key !== undefined) yield { node, key };
    if (called === 'Object.assign') for (const source of node.arguments.slice(1)) yield { node, source };
  }
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
    return undefined;
  });
  for (const child of children) yield* suspectsIn(child);
}

const TEXT = TypeFlags.String | TypeFlags.TemplateLiteral | TypeFlags.StringMapping | TypeFlags.AnyOrUnknown;
const GENERIC = TypeFlags.TypeParameter | TypeFlags.Index | TypeFlags.IndexedAccess | TypeFlags.Conditional;

function mayBeAnyText(type: Type | undefined, checker: Checker): boolean {
  if (type === undefined) return true;
  if (type.isUnionType() || type.isIntersectionType())
    return type.getTypes().some((part) => mayBeAnyText(part, checker));
  if ((type.flags & GENERIC) !== 0) {
    const widest = checker.getBaseConstraintOfType(type);
    return widest === undefined || widest.id === type.id || mayBeAnyText(widest, checker);
  }
  return (type.flags & TEXT) !== 0;
}

function mayHaveAnyKey(type: Type | undefined, checker: Checker): boolean {
  if (type === undefined || (type.flags & TypeFlags.AnyOrUnknown) !== 0) return true;
  if (type.isUnionType() || type.isIntersectionType())
    return type.getTypes().some((part) => mayHaveAnyKey(part, checker));
  return checker.getIndexInfosOfType(type).some(({ keyType }) => (keyType.flags & TypeFlags.String) !== 0);
}
