import * as fc from 'fast-check';
import { hostileBytes, hostileKey, size } from './hostile-values.ts';
import { applyMutations, mutationsOf, type Mutated } from './mutation.ts';
import { jsonOf, textOf, type Recipe } from './recipe.ts';

/** A file as written by a person or a program: an object with changes, and edits of its text. */
export interface Written {
  readonly object: Mutated;
  readonly form: 'json' | 'yaml';
  readonly edits: readonly Edit[];
}

/** The position as a share of the text, so that a case stays valid when its object shrinks. */
export type Edit =
  | { readonly insert: Recipe; readonly at: number }
  | { readonly insertBytes: string; readonly at: number }
  | { readonly cutAt: number }
  | { readonly prepend: Recipe }
  | { readonly appendText: Recipe };

/** Text that is valid in YAML only, and text that is valid in neither. */
const fragments: readonly Recipe[] = [
  '\n--- \n',
  '\n...\n',
  '\nmetadata: &a [*a]\n',
  '\nspec: &s {spec: *s}\n',
  '\n? [a, b]\n: c\n',
  '\n<<: {a: b}\n',
  '\n<<: *missing\n',
  '\nx: !!binary "%%%%"\n',
  '\nx: !!js/function "f"\n',
  '\nx: !<tag:yaml.org,2002:set> {a, b}\n',
  '\nx: !!omap [a: 1, a: 2]\n',
  '\nx: .nan\n',
  '\nx: -.inf\n',
  '\nx: 0o777777777777777777777777\n',
  '\nx: 2026-13-45\n',
  '\nx: "\\ud800"\n',
  '\n\t\tx: tab\n',
  '\nspec: {}\nspec: []\n',
  '\n"__proto__": {polluted: true}\n',
  '\n__proto__: {polluted: true}\n',
  '\nconstructor: {prototype: {polluted: true}}\n',
  '\n%YAML 9.9\n',
  '\n%TAG ! tag:example,2026:\n---\n',
  '\n# comment',
  '\ufeff',
  '\0',
  '\r',
  { $join: ['\nl: &l [x,x,x,x,x,x,x,x,x]', { $repeat: ['\n', 1] }, 'm: &m [*l,*l,*l,*l,*l,*l,*l,*l,*l]\n'] },
  '\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n',
];

const share = fc.integer({ min: 0, max: 1_000 }).map((thousandth) => thousandth / 1_000);
const times = size(30, 5_000);

const fragment: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...fragments) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('[', '{', '- ', '{a: ', '? ', '&a ', '!a ', '"', "'", '#', ' ', '\n', 'a: ', '[[[], '),
        times,
      )
      .map(([text, count]): Recipe => ({ $repeat: [text, count] })),
  },
  { weight: 1, arbitrary: hostileKey.map((key): Recipe => `\n${key}: ${key}\n`) },
);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ insert: fragment, at: share }) },
  { weight: 2, arbitrary: fc.record({ appendText: fragment }) },
  { weight: 1, arbitrary: fc.record({ prepend: fragment }) },
  { weight: 1, arbitrary: fc.record({ insertBytes: hostileBytes, at: share }) },
  { weight: 1, arbitrary: fc.record({ cutAt: share }) },
);

/** Files with one of the objects, changed, in YAML or JSON, with or without edits of the text. */
export const writtenFiles = (bases: Readonly<Record<string, Recipe>>): fc.Arbitrary<Written> =>
  fc.record({
    object: mutationsOf(bases),
    form: fc.constantFrom('json' as const, 'yaml' as const),
    edits: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(edit, { minLength: 1, maxLength: 3 }) },
    ),
  });

export function bytesOf(bases: Readonly<Record<string, Recipe>>, { object, form, edits }: Written): Uint8Array {
  const root = applyMutations(bases, object);
  const text = form === 'json' ? jsonOf(root) : yamlOf(root);
  return edits.reduce<Buffer>(edited, Buffer.from(text));
}

export const fileTextOf = (bases: Readonly<Record<string, Recipe>>, written: Written): string =>
  new TextDecoder().decode(bytesOf(bases, written));

/** The top level in block style, each value in flow style: valid YAML that is cheap to write. */
function yamlOf(root: Recipe): string {
  if (typeof root !== 'object' || root === null || Array.isArray(root)) return jsonOf(root);
  const lines = Object.entries(root).map(([key, value]) => `${JSON.stringify(key)}: ${jsonOf(value)}`);
  return `${lines.join('\n')}\n`;
}

function edited(bytes: Buffer, change: Edit): Buffer {
  if ('cutAt' in change) return bytes.subarray(0, Math.floor(bytes.length * change.cutAt));
  if ('prepend' in change) return Buffer.concat([Buffer.from(textOf(change.prepend)), bytes]);
  if ('appendText' in change) return Buffer.concat([bytes, Buffer.from(textOf(change.appendText))]);
  const at = Math.floor(bytes.length * change.at);
  const inserted = 'insert' in change ? Buffer.from(textOf(change.insert)) : Buffer.from(change.insertBytes, 'base64');
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
}
