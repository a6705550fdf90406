import {
  isAlias,
  isCollection,
  isScalar,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  visit,
  YAMLParseError,
} from 'yaml';
import type { Document, DocumentOptions, ParseOptions, SchemaOptions, ToJSOptions, YAMLMap } from 'yaml';
import { whyOverlarge } from '../manifest/why-overlarge.ts';

/** About one for each value of a document. A mark costs up to 50 µs to read; no file of this agent's kinds has a tenth of them. */
export const MAX_MARKS = 100_000;

/** As in the library's own conversion: aliases of aliases can stand for billions of values. */
const MAX_ALIASES = 100;

export interface YamlOptions {
  /** How the library reads scalars. Keys are compared here, and errors are plain. */
  readonly reading?: ParseOptions & DocumentOptions & SchemaOptions;
  /** Without it: 100,000. */
  readonly maxMarks?: number;
  /** `report`: a key that is twice in a mapping is an error of the document. Without it: it is. */
  readonly twiceInMapping?: 'report' | 'take';
}

export interface YamlDocuments {
  readonly ok: true;
  /** With the errors in each. Never empty when one document is expected. */
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

export interface Unparsed {
  readonly ok: false;
  /** For people, without the name of the file: `holds more than …`. */
  readonly problem: string;
}

/**
 * Reads the documents of a YAML or JSON text in time that grows with its length. The library alone compares each key of a
 * mapping with all before it, and overflows the stack on deep nesting. Never throws.
 */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): YamlDocuments | Unparsed {
  return bounded(text, options, (reading) => {
    const parsed = parseAllDocuments(text, reading);
    return Array.isArray(parsed) ? parsed : [];
  });
}

/** The same of a text that must be one document: a second one is an error of the first. */
export function parseYamlDocument(text: string, options: YamlOptions = {}): YamlDocuments | Unparsed {
  return bounded(text, options, (reading) => [parseDocument(text, reading)]);
}

function bounded(
  text: string,
  { reading = {}, maxMarks = MAX_MARKS, twiceInMapping = 'report' }: YamlOptions,
  parse: (reading: ParseOptions & DocumentOptions & SchemaOptions) => readonly Document.Parsed[],
): YamlDocuments | Unparsed {
  if (marksIn(text, maxMarks) > maxMarks) {
    return {
      ok: false,
      problem: `holds more than ${maxMarks} lines and commas, or is nested too deeply: it is not read`,
    };
  }
  const lines = new LineCounter();
  try {
    const documents = parse({
      prettyErrors: false,
      // 'silent' would let a second document pass where one is expected.
      logLevel: 'error',
      ...reading,
      uniqueKeys: false,
      lineCounter: lines,
    });
    for (const document of documents) {
      const problem = checkNodes(document, twiceInMapping);
      if (problem !== undefined) return { ok: false, problem };
    }
    return { ok: true, documents, lines };
  } catch (error) {
    return { ok: false, problem: reasonOf(error) };
  }
}

/** Brackets that are open at once. Those within texts count too, which few texts leave open. */
const MAX_OPEN = 200;

/** Indicators of block collections in one line, outside of brackets. Each nests one level more: the library takes a minute for 1,000. */
const MAX_IN_LINE = 100;

/** Characters that begin a value or a line. Stops counting once there are too many. */
function marksIn(text: string, enough: number): number {
  let marks = 0;
  let depth = 0;
  let inLine = 0;
  for (let at = 0; at < text.length && marks <= enough; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x5b: // [
      case 0x7b: // {
        marks += 1;
        depth += 1;
        // The library takes a minute for 5,000 levels.
        if (depth > MAX_OPEN) return Infinity;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth = Math.max(0, depth - 1);
        break;
      case 0x0a: // line feed
        marks += 1;
        inLine = 0;
        break;
      case 0x2c: // ,
        marks += 1;
        break;
      case 0x2d: // -
      case 0x3a: // :
      case 0x3f: // ?
      case 0x26: // &
      case 0x2a: // *
      case 0x21: // !
        // Within a word they are letters.
        if (!isBlank(text.charCodeAt(at + 1)) && !isBlank(text.charCodeAt(at - 1))) break;
        marks += 1;
        if (depth === 0) inLine += 1;
        if (inLine > MAX_IN_LINE) return Infinity;
        break;
      default:
    }
  }
  return marks;
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;

/** Notes keys that are twice in a mapping as errors. Returns why the document cannot be used at all. */
function checkNodes(document: Document.Parsed, twiceInMapping: 'report' | 'take'): string | undefined {
  let aliases = 0;
  visit(document, {
    Map: (_, map) => {
      if (twiceInMapping === 'report') noteKeysThereTwice(document, map);
    },
    Alias: () => void (aliases += 1),
  });
  return aliases > MAX_ALIASES ? `holds more than ${MAX_ALIASES} aliases: it is not read` : undefined;
}

function noteKeysThereTwice(document: Document.Parsed, map: YAMLMap): void {
  const keys = new Set<unknown>();
  for (const { key } of map.items) {
    const value: unknown = isScalar(key) ? key.value : key;
    if (keys.has(value) && (isScalar(key) || isAlias(key))) {
      const at = key.range?.[0] ?? 0;
      document.errors.push(new YAMLParseError([at, at + 1], 'DUPLICATE_KEY', 'Map keys must be unique'));
    }
    keys.add(value);
  }
}

/**
 * A document as plain values, which can be walked by recursion: neither deep nor large, aliases written out. Never throws;
 * the document's own errors are the caller's to look at.
 */
export function plainValue(document: Document, options: ToJSOptions = {}): { ok: true; value: unknown } | Unparsed {
  if (hasCompositeKey(document)) return { ok: false, problem: 'a key of a mapping is a list or a mapping' };
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES, ...options });
    const overlarge = whyOverlarge(value);
    return overlarge === undefined ? { ok: true, value } : { ok: false, problem: overlarge };
  } catch (error) {
    return { ok: false, problem: reasonOf(error) };
  }
}

/**
 * `true` if a key of a mapping is itself a list or a mapping. Kubernetes has no such keys. The library makes text of each,
 * at every level again: 500 keys of keys take minutes.
 */
function hasCompositeKey(document: Document): boolean {
  let isFound = false;
  visit(document, {
    Pair(_, { key }) {
      isFound = isCollection(key);
      return isFound ? visit.BREAK : undefined;
    },
  });
  return isFound;
}

/** The value of a YAML or JSON text that must be one document without errors. Never throws. */
export function parseYaml(text: string, options: YamlOptions = {}): { ok: true; value: unknown } | Unparsed {
  const parsed = parseYamlDocument(text, options);
  if (!parsed.ok) return parsed;
  const [document] = parsed.documents;
  const [error] = document?.errors ?? [];
  if (document === undefined || error !== undefined) return { ok: false, problem: firstLine(error?.message ?? '') };
  return plainValue(document);
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

const reasonOf = (error: unknown): string => {
  if (error instanceof RangeError) return 'is nested too deeply';
  return error instanceof Error ? firstLine(error.message) : String(error);
};
