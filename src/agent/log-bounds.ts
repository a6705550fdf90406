import { excerpt } from '../kube/text/excerpt.ts';

/** Most characters of one text. */
const LONGEST_TEXT = 1024;
/** Most characters of a field name. */
const LONGEST_NAME = 128;
/** Most items of a list, or fields of an object. The report of a crashed thread has 64. */
const MOST_ITEMS = 64;
/** Deepest nesting of lists and objects. */
const DEEPEST = 4;
/** Most characters of all fields of one line together. */
const MOST_CHARACTERS = 32 * 1024;
/** The cost of a value besides its text. */
const CHARACTERS_PER_VALUE = 16;

/** The room left in a line while its fields are read. */
interface Room {
  characters: number;
}

/**
 * Returns the fields of a log line within bounds. Foreign texts (errors of a runtime, names, command output) may be
 * megabytes long; a log line must not be. Returns the same object when nothing has to be cut, which is nearly always.
 */
export function boundedFields(fields: object): object {
  // An error passed in place of fields is written as the field `err`.
  const own = fields instanceof Error ? { err: fields } : fields;
  return boundedObject(own, 1, { characters: MOST_CHARACTERS });
}

/** Returns the sentence of a log line, within the bounds of a text. */
export const boundedMessage = (message: string): string => excerpt(message, LONGEST_TEXT);

function bounded(value: unknown, depth: number, room: Room): unknown {
  room.characters -= CHARACTERS_PER_VALUE;
  if (typeof value === 'string') return boundedText(value, room);
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth > DEEPEST) return Array.isArray(value) ? '[list]' : '[object]';
  if (Array.isArray(value)) return boundedList(value, depth, room);
  if (value instanceof Error) return boundedObject(plainError(value), depth, room);
  if ('toJSON' in value && typeof value.toJSON === 'function') return bounded(value.toJSON(), depth + 1, room);
  return boundedObject(value, depth, room);
}

function boundedText(text: string, room: Room): string {
  const cut = excerpt(text, Math.min(LONGEST_TEXT, Math.max(0, room.characters)));
  room.characters -= cut.length;
  return cut;
}

function boundedList(list: readonly unknown[], depth: number, room: Room): readonly unknown[] {
  const shown: unknown[] = [];
  for (const item of list) {
    if (shown.length === MOST_ITEMS || room.characters <= 0) break;
    shown.push(bounded(item, depth + 1, room));
  }
  if (shown.length < list.length) return [...shown, `… (${list.length - shown.length} more)`];
  return shown.every((item, index) => item === list[index]) ? list : shown;
}

function boundedObject(object: object, depth: number, room: Room): object {
  const all = Object.entries(object);
  const shown: [name: string, value: unknown][] = [];
  let isSame = true;
  for (const [name, value] of all) {
    if (shown.length === MOST_ITEMS || room.characters <= 0) break;
    const cut: [string, unknown] = [excerpt(name, LONGEST_NAME), bounded(value, depth + 1, room)];
    room.characters -= cut[0].length;
    isSame &&= cut[0] === name && cut[1] === value;
    shown.push(cut);
  }
  if (shown.length < all.length) shown.push(['…', `${all.length - shown.length} more fields`]);
  else if (isSame) return object;
  return Object.fromEntries(shown);
}

const plainError = (error: Error): object => ({ type: error.name, message: error.message, stack: error.stack });
