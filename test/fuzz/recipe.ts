/**
 * A compact form of a hostile value. A kept case stays small on disk, and a shrinker works on its counts. An object whose only key
 * begins with `$` stands for something large or unusual; everything else is the value itself.
 */
export type Recipe = null | boolean | number | string | readonly Recipe[] | { readonly [key: string]: Recipe };

/** A text, repeated as often as the number. */
export const repeat = (text: string, times: number): Recipe => ({ $repeat: [text, times] });
/** Texts, one after the other. */
export const join = (...parts: readonly Recipe[]): Recipe => ({ $join: parts });
/** Nested objects under one key, or nested lists where the key is `null`. */
export const nest = (key: string | null, depth: number, leaf: Recipe): Recipe => ({ $nest: [key, depth, leaf] });
/** A list of a number of equal items. */
export const many = (item: Recipe, count: number): Recipe => ({ $many: [item, count] });
/** An object with a number of keys that begin with the text. */
export const keys = (prefix: string, count: number): Recipe => ({ $keys: [prefix, count] });

type Special = { readonly name: string; readonly of: Recipe };

/** Returns the recipe in a special object; `undefined` for an ordinary value. */
function specialOf(recipe: Recipe): Special | undefined {
  if (typeof recipe !== 'object' || recipe === null || Array.isArray(recipe)) return undefined;
  const [first, second] = Object.entries(recipe);
  if (first === undefined || second !== undefined || !specials.has(first[0])) return undefined;
  return { name: first[0], of: first[1] };
}

const specials: ReadonlySet<string> = new Set(['$repeat', '$join', '$nest', '$many', '$keys']);

const listOf = (recipe: Recipe | undefined): readonly Recipe[] => (Array.isArray(recipe) ? recipe : []);
const countOf = (recipe: Recipe | undefined): number =>
  typeof recipe === 'number' ? Math.max(0, Math.min(2_000_000, Math.floor(recipe))) : 0;

/** Returns the text of a recipe; for a recipe of another value, its JSON. */
export function textOf(recipe: Recipe): string {
  if (typeof recipe === 'string') return recipe;
  const special = specialOf(recipe);
  if (special?.name === '$repeat') {
    const [text, times] = listOf(special.of);
    return textOf(text ?? '').repeat(countOf(times));
  }
  if (special?.name === '$join') return listOf(special.of).map(textOf).join('');
  return jsonOf(recipe);
}

/** Returns a recipe as JSON. Written directly as text, since `JSON.stringify` fails on deep values. */
export function jsonOf(recipe: Recipe): string {
  const special = specialOf(recipe);
  if (special === undefined) {
    if (Array.isArray(recipe)) return `[${recipe.map(jsonOf).join(',')}]`;
    if (typeof recipe !== 'object' || recipe === null) return JSON.stringify(recipe);
    return `{${Object.entries(recipe)
      .map(([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`)
      .join(',')}}`;
  }
  const [first = null, second = null, third = null] = listOf(special.of);
  switch (special.name) {
    case '$nest': {
      const [open, close] = first === null ? ['[', ']'] : [`{${JSON.stringify(textOf(first))}:`, '}'];
      return `${open.repeat(countOf(second))}${jsonOf(third)}${close.repeat(countOf(second))}`;
    }
    case '$many':
      return `[${Array.from({ length: countOf(second) }, () => jsonOf(first)).join(',')}]`;
    case '$keys':
      return `{${Array.from({ length: countOf(second) }, (_, n) => `${JSON.stringify(`${textOf(first)}${n}`)}:"v"`).join(',')}}`;
    default:
      return JSON.stringify(textOf(recipe));
  }
}

/** Returns the value itself, as a JSON parser returns it. */
export const valueOf = (recipe: Recipe): unknown => JSON.parse(jsonOf(recipe));
