/** One field of a message of the API. */
export interface ApiField {
  readonly number: number;
  /** Name in JSON. Empty for a message whose members JSON writes into the enclosing object. */
  readonly name: string;
  /** A wire type or the name of a message, with `list` and `map` before it: `list Container`, `map string`. */
  readonly type: string;
}

export type ApiMessages = ReadonlyMap<string, readonly ApiField[]>;

const FIELD = /^ {2}(\d+) (\S+) ((?:list |map )*[\w-]+)$/;
const MESSAGE = /^[A-Z]\w*$/;
const INLINE = '(inline)';

/** Reads `api-messages.txt`. Throws an error that names the line for text that is no message and no field. */
export function readApiMessages(text: string): ApiMessages {
  const messages = new Map<string, ApiField[]>();
  let fields: ApiField[] | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const [, number, name = '', type = ''] = FIELD.exec(line) ?? [];
    if (MESSAGE.test(line)) messages.set(line, (fields = []));
    else if (number === undefined || fields === undefined) throw new Error(`api-messages.txt:${index + 1}: ${line}`);
    else fields.push({ number: Number(number), name: name === INLINE ? '' : name, type });
  }
  return messages;
}
