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
