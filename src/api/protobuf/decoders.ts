import { own } from '../../kube/text/own.ts';
import type { ApiField, ApiMessages } from './api-messages.ts';

/** The server writes these for other readers. They are the larger half of many objects. */
const isPassed = ({ type }: ApiField): boolean => type === 'list ManagedFieldsEntry';

/**
 * Returns the source text of the functions that read objects, a function for each message. A switch over literal tags
 * is several times as fast here as a table that is walked.
 */
export function decodersText(messages: ApiMessages, kinds: Readonly<Record<string, string>>): string {
  const functions = new Map<string, string>();
  const rows = Object.entries(kinds).map(([kind, name]) => `  ['${kind}', ${decoder(messages, functions, name)}],`);
  return [
    '// Made from api-messages.txt by `npm run -s generate`. Changes are lost.',
    "import type { Fields, ProtobufReader, ReadMessage } from '../protobuf-reader.ts';",
    '',
    ...functions.values(),
    '/** By `<apiVersion>/<kind>`. */',
    'export const decoders: ReadonlyMap<string, ReadMessage> = new Map([',
    ...rows,
    ']);',
    '',
  ].join('\n');
}

/** Adds the function of a message, after the functions that it calls. Returns its name. */
function decoder(messages: ApiMessages, functions: Map<string, string>, of: string): string {
  const name = `read${of}`;
  if (functions.has(name)) return name;
  const fields = messages.get(of);
  if (fields === undefined) throw new Error(`api-messages.txt has no message ${of}`);
  const cases = fields.map((field) => fieldCase(field, (type) => decoder(messages, functions, type)));
  functions.set(
    name,
    [
      `function ${name}(r: ProtobufReader, end: number, o: Fields = {}): Fields {`,
      '  while (r.position < end) {',
      '    const tag = r.tag();',
      '    switch (tag) {',
      ...cases.map((line) => `      ${line}`),
      '      default: r.skip(tag);',
      '    }',
      '  }',
      '  r.ended(end);',
      '  return o;',
      '}',
      '',
    ].join('\n'),
  );
  return name;
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Scalars by type: the wire type, and the expression that reads one value. */
const SCALARS: Readonly<Record<string, readonly [wireType: number, read: string]>> = {
  string: [LENGTH_DELIMITED, 'r.text()'],
  'string-or-none': [LENGTH_DELIMITED, 'r.text()'],
  bytes: [LENGTH_DELIMITED, 'r.base64()'],
  'bytes-or-none': [LENGTH_DELIMITED, 'r.base64()'],
  bool: [VARINT, 'r.bool()'],
  flag: [VARINT, 'r.bool()'],
  int: [VARINT, 'r.int()'],
  'int-or-none': [VARINT, 'r.int()'],
  quantity: [LENGTH_DELIMITED, 'r.quantity()'],
  time: [LENGTH_DELIMITED, 'r.time()'],
  'micro-time': [LENGTH_DELIMITED, 'r.microTime()'],
  'int-or-string': [LENGTH_DELIMITED, 'r.intOrString()'],
};

/** JSON omits these values. */
const NONE: Readonly<Record<string, string>> = {
  'string-or-none': "''",
  'bytes-or-none': "''",
  flag: 'false',
  'int-or-none': '0',
  time: 'undefined',
  'micro-time': 'undefined',
};

function fieldCase(field: ApiField, decoderOf: (message: string) => string): string {
  const { number, name, type } = field;
  const tag = (wireType: number): number => number * 8 + wireType;
  const delimited = tag(LENGTH_DELIMITED);
  if (isPassed(field)) return `case ${delimited}: r.pass(tag); break;`;
  const member = `o['${name}']`;
  const [, container, item = type] = /^(list|map) (.+)$/.exec(type) ?? [];
  if (container === 'map') return `case ${delimited}: ${mapEntry(member, item)} break;`;
  const scalar = own(SCALARS, item);
  const [wireType, read] = scalar ?? [LENGTH_DELIMITED, `${decoderOf(item)}(r, r.nested()${name === '' ? ', o' : ''})`];
  if (container === 'list') {
    const packed = wireType === VARINT ? ` case ${delimited}: ${packedItems(member, read)} break;` : '';
    return `case ${tag(wireType)}: ${addItem(member, read)} break;${packed}`;
  }
  if (name === '') return `case ${delimited}: ${read}; break;`;
  const none = own(NONE, item);
  const set = none === undefined ? `${member} = ${read};` : `{ const v = ${read}; if (v !== ${none}) ${member} = v; }`;
  return `case ${tag(wireType)}: ${set} break;`;
}

const addItem = (member: string, read: string): string =>
  `{ const v = ${read}; const l = ${member} as unknown[] | undefined; if (l) l.push(v); else ${member} = [v]; }`;

/** Some writers put all numbers of a list into a single field. */
const packedItems = (member: string, read: string): string =>
  `{ const l = (${member} ??= []) as unknown[]; for (const e = r.nested(); r.position < e; ) l.push(${read}); }`;

function mapEntry(member: string, item: string): string {
  const into = `(${member} ??= {}) as Fields`;
  switch (item) {
    case 'string':
      return `r.textEntry(${into});`;
    case 'bytes':
      return `r.entry(${into}, '', (m) => m.base64());`;
    case 'quantity':
      return `r.entry(${into}, '0', (m) => m.quantity());`;
    case 'list string':
      return `r.entry(${into}, [], (m) => m.texts());`;
    default:
      throw new Error(`no map of the API that is read has values of type ${item}`);
  }
}
