import type { ApiMessages } from './api-messages.ts';

export interface WireTables {
  readonly messages: ApiMessages;
  /** The message of each kind, by `<apiVersion>/<kind>`; kinds of options by their kind alone. */
  readonly kinds: Readonly<Record<string, string>>;
  /** The module of the types, from the written file. */
  readonly typesFrom: string;
}

/** Returns the source text of the tables by which messages are written or read, one table for each message. */
export function wireMessagesText({ messages, kinds, typesFrom }: WireTables): string {
  const tables = new Map<string, string>();
  const rows = Object.entries(kinds).map(([kind, name]) => `  '${kind}': ${tableOf(messages, tables, name)},`);
  return [
    '// Made from api-messages.txt by `npm run -s generate`. Changes are lost.',
    `import { list, map, message, type WireMessage } from '${typesFrom}';`,
    '',
    ...tables.values(),
    '/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */',
    'export const wireMessages: Readonly<Record<string, WireMessage>> = {',
    ...rows,
    '};',
    '',
  ].join('\n');
}

/** Adds the table of a message, after the tables that it refers to. Returns its name. */
function tableOf(messages: ApiMessages, tables: Map<string, string>, of: string): string {
  const name = `of${of}`;
  if (tables.has(name)) return name;
  const fields = messages.get(of);
  if (fields === undefined) throw new Error(`api-messages.txt has no message ${of}`);
  const lines = fields.map(
    ({ number, name: member, type }) => `  ${number}: ['${member}', ${wireType(messages, tables, type)}],`,
  );
  tables.set(name, `const ${name}: WireMessage = {\n${lines.join('\n')}\n};\n`);
  return name;
}

function wireType(messages: ApiMessages, tables: Map<string, string>, type: string): string {
  const [, container, item] = /^(list|map) (.+)$/.exec(type) ?? [];
  if (container !== undefined && item !== undefined) return `${container}(${wireType(messages, tables, item)})`;
  return LEAVES.has(type) ? `'${type}'` : `message(${tableOf(messages, tables, type)})`;
}

/** The types of fields that are no messages. */
const LEAVES: ReadonlySet<string> = new Set([
  'string',
  'string-or-none',
  'bytes',
  'bytes-or-none',
  'bool',
  'flag',
  'int',
  'int-or-none',
  'quantity',
  'time',
  'micro-time',
  'int-or-string',
  'fields',
]);
