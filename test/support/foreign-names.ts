/**
 * Names that a plain object answers for without having them, and others that something in the language takes for its own.
 * Whoever writes a key, a label or a name may write these.
 */
export const FOREIGN_NAMES: readonly string[] = [
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
  'toJSON',
  'then',
  'length',
];

/** Labels and annotations begin and end with a letter or a digit: these may be one, and those may not. */
export const FOREIGN_LABELS = FOREIGN_NAMES.filter((name) => !name.startsWith('_'));
export const NO_LABELS = FOREIGN_NAMES.filter((name) => name.startsWith('_'));

const ORDINARY = 'ordinary';

/**
 * Returns the results of `outcome` for the name and for an ordinary one, each with the name removed: they must be
 * equal.
 */
export function asForAnyOther(
  name: string,
  outcome: (name: string) => unknown,
): { readonly is: string; readonly as: string } {
  const without = (each: string): string => JSON.stringify(outcome(each)).replaceAll(each, 'NAME');
  return { is: without(name), as: without(ORDINARY) };
}
