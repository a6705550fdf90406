/** One field of a Go struct of the API, as its tags describe it. */
export interface GoField {
  /** Name in JSON. Empty for a struct whose fields JSON writes into the enclosing object. */
  readonly name: string;
  readonly number: number;
  /** Go's type, without the pointer. */
  readonly type: string;
  readonly isPointer: boolean;
  readonly omitEmpty: boolean;
}

export interface GoTypes {
  readonly structs: ReadonlyMap<string, readonly GoField[]>;
  /** Types that are another type by name: `ResourceList` is `map[ResourceName]resource.Quantity`. */
  readonly aliases: ReadonlyMap<string, string>;
}

const STRUCT = /^type (\w+) struct \{$/;
const ALIAS = /^type (\w+) ([\w.[\]*]+)$/;
const TAGGED = /^\t(?:\w+ )? *(\*?)([\w.[\]*]+) +`(.*)`$/;

/** Reads the structs of the API in Go. Fields without a protobuf number are left out. */
export function readGoTypes(text: string): GoTypes {
  const structs = new Map<string, GoField[]>();
  const aliases = new Map<string, string>();
  let fields: GoField[] | undefined;
  for (const line of text.split('\n')) {
    const [, struct] = STRUCT.exec(line) ?? [];
    const [, alias, of] = ALIAS.exec(line) ?? [];
    if (struct !== undefined) structs.set(struct, (fields = []));
    else if (alias !== undefined && of !== undefined) aliases.set(alias, of);
    const field = goField(line);
    if (field !== undefined) fields?.push(field);
  }
  return { structs, aliases };
}

function goField(line: string): GoField | undefined {
  const [, pointer, type = '', tags = ''] = TAGGED.exec(line) ?? [];
  const [, json] = /json:"([^"]*)"/.exec(tags) ?? [];
  const [, number] = /protobuf:"\w+,(\d+),/.exec(tags) ?? [];
  if (json === undefined || number === undefined) return undefined;
  const [name = '', ...options] = json.split(',');
  if (name === '-') return undefined;
  const omitEmpty = options.includes('omitempty');
  return { name, number: Number(number), type, isPointer: pointer === '*', omitEmpty };
}
