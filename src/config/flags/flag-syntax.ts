import type { FlagSpec } from './flag-schema.ts';
import type { ValueType } from '../fields/config-schema.ts';
import { shapeOf } from '../fields/config-schema.ts';
import type { ConfigTree, ConfigValue } from '../fields/config-value.ts';
import { isTree } from '../fields/config-value.ts';
import type { ScalarResult } from '../check/scalar-values.ts';
import { readScalarText } from '../check/scalar-values.ts';

/**
 * Reads the texts of a flag. A flag may be given more than once: the last single value counts, lists and maps are
 * extended.
 */
export function readFlag(flag: FlagSpec, texts: readonly string[]): ScalarResult {
  const last = texts.at(-1) ?? '';
  const parts = texts.flatMap((text) => text.split(',')).filter((part) => part.trim() !== '');
  switch (flag.syntax) {
    case 'ignored':
      return { ok: true, value: null };
    case 'text':
      return readText(flag.type, last);
    case 'list':
      return { ok: true, value: parts };
    case 'key=value':
      return readPairs(parts, { separator: '=', type: flag.type });
    case 'signal<amount':
      return readPairs(parts, { separator: '<', type: flag.type });
    case 'name:value':
      return readHeaders(parts);
    case 'taints':
      return readEach(parts, readTaint);
    case 'pattern=level':
      return readEach(parts, readVModule);
    case 'reserved-memory':
      return readEach(
        texts.flatMap((text) => text.split(';')).filter((part) => part.trim() !== ''),
        readReservation,
      );
    default:
      return flag.syntax satisfies never;
  }
}

const refuse = (expected: string): ScalarResult => ({ ok: false, expected });

function readText(type: ValueType, text: string): ScalarResult {
  const shape = shapeOf(type);
  return shape.kind === 'scalar' ? readScalarText(shape.scalar, text) : refuse('a single value');
}

function readPairs(
  parts: readonly string[],
  { separator, type }: { readonly separator: string; readonly type: ValueType },
): ScalarResult {
  const shape = shapeOf(type);
  const pairs: [string, ConfigValue][] = [];
  for (const part of parts) {
    const at = part.indexOf(separator);
    if (at <= 0) return refuse(`key${separator}value pairs with commas between them`);
    const read = readText(shape.kind === 'map' ? shape.value : 'string', part.slice(at + 1).trim());
    if (!read.ok) return refuse(`${read.expected} for ${part.slice(0, at).trim()}`);
    pairs.push([part.slice(0, at).trim(), read.value]);
  }
  return { ok: true, value: Object.fromEntries(pairs) };
}

/** Reads `name:value` pairs. A name may be repeated with another value. */
function readHeaders(parts: readonly string[]): ScalarResult {
  const headers = new Map<string, string[]>();
  for (const part of parts) {
    const at = part.indexOf(':');
    if (at <= 0) return refuse('name:value pairs with commas between them');
    const name = part.slice(0, at).trim();
    headers.set(name, [...(headers.get(name) ?? []), part.slice(at + 1).trim()]);
  }
  return { ok: true, value: Object.fromEntries(headers) };
}

type ReadPart = (part: string) => ConfigTree | string;

function readEach(parts: readonly string[], read: ReadPart): ScalarResult {
  const items: ConfigValue[] = [];
  for (const part of parts) {
    const item = read(part.trim());
    if (!isTree(item)) return refuse(item);
    items.push(item);
  }
  return { ok: true, value: items };
}

const readTaint: ReadPart = (part) => {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(part) ?? [];
  if (key === undefined || effect === undefined) return 'taints such as key=value:NoSchedule with commas between them';
  return { key, value: value ?? '', effect, timeAdded: null };
};

const readVModule: ReadPart = (part) => {
  const [, filePattern, level] = /^([^=]+)=(\d{1,10})$/.exec(part) ?? [];
  if (filePattern === undefined) return 'pattern=N pairs with commas between them';
  return { filePattern, verbosity: Number(level) };
};

/** Reads one NUMA node: `0:memory=1Gi,hugepages-1Gi=2Gi`. */
const readReservation: ReadPart = (part) => {
  const [, node, limits] = /^(\d{1,9}):(.+)$/.exec(part) ?? [];
  const read = readPairs((limits ?? '').split(','), { separator: '=', type: 'map<string,quantity>' });
  if (node === undefined || !read.ok)
    return 'reservations such as 0:memory=1Gi,hugepages-2Mi=100Mi with ; between them';
  return { numaNode: Number(node), limits: read.value };
};
