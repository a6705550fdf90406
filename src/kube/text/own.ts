/** Marks values that a plain read of a record may find on `Object.prototype`. No value of this type exists. */
declare const inherited: unique symbol;
interface Inherited {
  readonly [inherited]: never;
}

/**
 * A record whose keys come from outside: labels, annotations, the data of a ConfigMap, headers. A read such as
 * `record[key]` does not give a `V`, because it also finds `constructor` and the other members of `Object.prototype`.
 * Read with `own`, walk with `entriesOf`, make with `keyed`. For records of other types, \`npm run -s keys\` reports
 * each read and assignment by an arbitrary key.
 */
export type Keyed<V> = Readonly<Record<string, V | Inherited>>;

/** Returns the record's own value of a key; `undefined` when the record or the key is missing. */
export function own<V>(record: Keyed<V> | undefined, key: string): V | undefined {
  if (record === undefined) return undefined;
  const value = record[key];
  // All that a plain record inherits are functions, and `__proto__`. Asking for each key whether it is the record's own
  // costs about 1 % of an agent's CPU.
  const mayBeInherited = typeof value === 'function' || key === '__proto__';
  // The value is the record's own here, so it is a `V`.
  return mayBeInherited && !Object.hasOwn(record, key) ? undefined : (value as V);
}

/** `true` if the record has the key itself. */
export const hasOwn = (record: object | undefined, key: string): boolean =>
  record !== undefined && Object.hasOwn(record, key);

/** Returns the record's own keys and values, in the record's order. */
export const entriesOf = <V>(record: Keyed<V> | undefined): readonly (readonly [string, V])[] =>
  // `Object.entries` lists own members only.
  record === undefined ? [] : (Object.entries(record) as [string, V][]);

/** Returns the record's own values, in the record's order. */
export const valuesOf = <V>(record: Keyed<V> | undefined): readonly V[] =>
  // `Object.values` lists own members only.
  record === undefined ? [] : (Object.values(record) as V[]);

/** Returns a record of these entries; the last entry of a key wins. A key such as `__proto__` is an ordinary key. */
export const keyed = <V>(entries: Iterable<readonly [string, V]>): Readonly<Record<string, V>> =>
  Object.fromEntries(entries);

/** Sets the record's own value of a key. A plain assignment would lose the value of `__proto__`. */
export function put<V>(record: Record<string, V>, key: string, value: V): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
  else record[key] = value;
}
