import type { ApiField, ApiMessages } from '../../../src/api/protobuf/api-messages.ts';
import type { Shape } from '../../../src/kube/manifest/decode-shape.ts';

const LEAVES: ReadonlyMap<string, readonly Shape[]> = new Map<string, readonly Shape[]>([
  ['string', ['string']],
  ['string-or-none', ['string']],
  ['time', ['string']],
  ['bool', ['bool']],
  ['flag', ['bool']],
  ['int', ['int']],
  ['int-or-none', ['int']],
  ['quantity', ['quantity']],
  ['int-or-string', ['int-or-string']],
]);

interface Compared {
  readonly api: ApiMessages;
  /** Name of the message. */
  readonly message: string;
}

/**
 * Returns the paths at which a shape and a message of the API differ. `-` is a member that the shape lacks, `+` a member that
 * the API lacks, `!` a member of another type. Unread members (`any`) are not compared.
 */
export function differences(shape: Shape, { api, message }: Compared): readonly string[] {
  const found = new Set<string>();
  compare(shape, { api, type: message, path: '', found });
  return [...found];
}

interface Place {
  readonly api: ApiMessages;
  readonly type: string;
  readonly path: string;
  readonly found: Set<string>;
}

function compare(shape: Shape, place: Place): void {
  const { api, type, path, found } = place;
  if (shape === 'any') return;
  const leaf = LEAVES.get(type);
  const [, item] = /^list (.+)$/.exec(type) ?? [];
  const [, entry] = /^map (.+)$/.exec(type) ?? [];
  if (typeof shape === 'string') {
    if (!leaf?.includes(shape)) found.add(`! ${path}: ${type} is read as ${shape}`);
  } else if ('list' in shape && item !== undefined) compare(shape.list, { ...place, type: item, path: `${path}[]` });
  else if ('map' in shape && entry !== undefined) compare(shape.map, { ...place, type: entry, path: `${path}{}` });
  else if ('object' in shape && api.has(type)) compareMembers(shape.object, place);
  else found.add(`! ${path}: ${type}`);
}

function compareMembers(members: ReadonlyMap<string, Shape>, place: Place): void {
  const { api, type, path, found } = place;
  const fields = new Map(fieldsOf(api, type).map((field) => [field.name, field]));
  for (const [name, field] of fields) {
    const member = members.get(name);
    if (member === undefined) found.add(`- ${path}.${name}`);
    else compare(member, { ...place, type: field.type, path: `${path}.${name}` });
  }
  for (const name of members.keys()) if (!fields.has(name)) found.add(`+ ${path}.${name}`);
}

const fieldsOf = (api: ApiMessages, message: string): readonly ApiField[] =>
  (api.get(message) ?? []).flatMap((field) => (field.name === '' ? fieldsOf(api, field.type) : [field]));
