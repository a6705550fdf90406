import { canonicalJson } from '../text/canonical-json.ts';
import { parseYamlDocuments, plainValue } from '../text/parse-yaml.ts';
import { fnv1a128 } from '../text/fnv-hash.ts';
import { whyNoDnsSubdomain } from '../validation/name-rules.ts';

/**
 * A ConfigMap or Secret from a file, in the form of the API: a Secret's `data` and a ConfigMap's `binaryData` in
 * base64.
 */
export interface DecodedObject {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  /** The type of a Secret. */
  readonly secretType: string;
  readonly data: Readonly<Record<string, string>>;
  readonly binaryData: Readonly<Record<string, string>>;
  /** Changes with the content. */
  readonly version: string;
}

export type DecodedObjects =
  { readonly ok: true; readonly objects: readonly DecodedObject[] } | { readonly ok: false; readonly problem: string };

/** Texts of a ConfigMap have lines and commas of their own, which cost next to nothing. */
const MAX_MARKS = 500_000;

/** The ConfigMaps and Secrets of a YAML or JSON file; other kinds in it are passed over. One that is wrong spoils the file. */
export function decodeObjects(text: string): DecodedObjects {
  const parsed = parseYamlDocuments(text, { reading: { version: '1.1', prettyErrors: true }, maxMarks: MAX_MARKS });
  if (!parsed.ok) return parsed;
  const objects: DecodedObject[] = [];
  for (const document of parsed.documents) {
    const [error] = document.errors;
    if (error !== undefined) return { ok: false, problem: error.message.split('\n')[0] ?? error.message };
    const plain = plainValue(document);
    if (!plain.ok) return plain;
    for (const item of itemsOf(plain.value)) {
      const decoded = decodeObject(item);
      if (typeof decoded === 'string') return { ok: false, problem: decoded };
      if (decoded !== undefined) objects.push(decoded);
    }
  }
  return { ok: true, objects };
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A `List` stands for its items. */
const itemsOf = (value: unknown): readonly unknown[] =>
  isMembers(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value];

function decodeObject(value: unknown): DecodedObject | string | undefined {
  if (!isMembers(value)) return undefined;
  const { kind } = value;
  if (kind !== 'ConfigMap' && kind !== 'Secret') return undefined;
  const metadata = isMembers(value['metadata']) ? value['metadata'] : {};
  const { name, namespace = 'default' } = metadata;
  if (typeof name !== 'string' || typeof namespace !== 'string') return `a ${kind} has no name`;
  const badName = whyNoDnsSubdomain(name);
  if (badName !== undefined) return `${kind} ${name}: metadata.name: ${badName}`;
  const problem = (member: string): string => `${kind} ${namespace}/${name}: ${member} must map keys to strings`;
  const data = textsOf(value['data']);
  const binaryData = textsOf(value['binaryData']);
  const plain = textsOf(value['stringData']);
  if (data === undefined) return problem('data');
  if (binaryData === undefined) return problem('binaryData');
  if (plain === undefined) return problem('stringData');
  for (const key of [...Object.keys(data), ...Object.keys(binaryData), ...Object.keys(plain)]) {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key.startsWith('..') || key === '.') {
      return `${kind} ${namespace}/${name}: ${JSON.stringify(key)} is not a valid key: use letters, digits, -, _ and .`;
    }
  }
  const secretType = typeof value['type'] === 'string' ? value['type'] : 'Opaque';
  const encoded = Object.entries(plain).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const content =
    kind === 'ConfigMap'
      ? { data, binaryData }
      : // The entries are pairs of texts, whatever the type of a list of lists says.
        { data: { ...data, ...(Object.fromEntries(encoded) as Record<string, string>) }, binaryData: {} };
  const version = fnv1a128(canonicalJson([content, secretType]));
  return { kind, namespace, name, secretType, ...content, version };
}

function textsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {};
  if (!isMembers(value)) return undefined;
  // A value without quotes may be a number or a boolean to YAML; the API would reject it.
  return Object.values(value).every((each) => typeof each === 'string')
    ? // Every member is text.
      (value as Readonly<Record<string, string>>)
    : undefined;
}
