import { dirname, isAbsolute, join } from 'node:path';
import type { Document, Node } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';
import { own, put } from '../kube/text/own.ts';
import { parseYamlDocument } from '../kube/text/parse-yaml.ts';
import { apiVersion, configFields, kind } from './fields/config-fields.ts';
import type { ConfigProblem, ConfigProblemCode, Origin } from './check/config-problem.ts';
import { problemAt } from './check/config-problem.ts';
import type { FieldSpec, FieldTable, ValueType } from './fields/config-schema.ts';
import { shapeOf } from './fields/config-schema.ts';
import { structFields } from './fields/config-structs.ts';
import type { ConfigTree, ConfigValue } from './fields/config-value.ts';
import { entryPath, itemPath, memberPath } from './fields/config-value.ts';
import { suggestion } from './flags/did-you-mean.ts';
import { readScalar } from './check/scalar-values.ts';

export interface DecodedFile {
  /** The valid settings of the file. A `null` stays: in a drop-in it removes an earlier setting. */
  readonly tree: ConfigTree;
  readonly origins: Map<string, Origin>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads one configuration file, YAML or JSON. Stricter than the kubelet, which falls back to a lenient reading of its
 * main file: a silently ignored field costs people hours.
 */
export function decodeConfigFile(source: string, text: string): DecodedFile {
  const parsed = parseYamlDocument(text, {
    reading: { intAsBigInt: true },
    // These are found while walking, where the path of the field is known.
    twiceInMapping: 'take',
  });
  const [document] = parsed.ok ? parsed.documents : [];
  if (parsed.ok && document !== undefined) return new FileDecoder({ source, text }, document, parsed.lines).decode();
  const expected = `YAML that can be read (${parsed.ok ? 'there is none' : `the file ${parsed.problem}`})`;
  return { tree: {}, origins: new Map(), problems: [{ code: 'syntax', source, path: '', expected }] };
}

interface Entry {
  readonly key: string;
  readonly keyNode: Node | undefined;
  readonly valueNode: Node | undefined;
}

/** The first one is to blame for most of the others. */
const MOST_SYNTAX_PROBLEMS = 20;

class FileDecoder {
  readonly #source: string;
  readonly #text: string;
  readonly #lines: LineCounter;
  readonly #document: Document.Parsed;
  readonly #origins = new Map<string, Origin>();
  readonly #problems: ConfigProblem[] = [];

  constructor(
    { source, text }: { readonly source: string; readonly text: string },
    document: Document.Parsed,
    lines: LineCounter,
  ) {
    this.#source = source;
    this.#text = text;
    this.#document = document;
    this.#lines = lines;
  }

  decode(): DecodedFile {
    const { errors, contents } = this.#document;
    for (const error of errors.slice(0, MOST_SYNTAX_PROBLEMS)) {
      const origin = { ...this.#originOf(undefined, error.pos[0]), written: '' };
      // The parser's message is a sentence of its own.
      this.#problems.push(problemAt(origin, { code: 'syntax', path: '', expected: `valid YAML (${error.message})` }));
    }
    let tree: ConfigTree = {};
    if (errors.length === 0) {
      const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
      if (isEmpty) this.#report('empty', { path: '', expected: `a ${kind}, but the file is empty` }, undefined);
      else tree = this.#decodeRoot(contents);
    }
    return { tree, origins: this.#origins, problems: this.#problems };
  }

  #decodeRoot(root: Node): ConfigTree {
    const entries = this.#entries(root, '');
    if (entries === undefined) return {};
    for (const [name, expected] of Object.entries({ apiVersion, kind })) {
      const entry = entries.find(({ key }) => key === name);
      const node = entry?.valueNode;
      if (isScalar(node) && node.value === expected) continue;
      this.#report('wrong-kind', { path: name, expected }, node ?? entry?.keyNode);
    }
    const fields = entries.filter(({ key }) => key !== 'apiVersion' && key !== 'kind');
    return this.#struct(fields, configFields, '');
  }

  #struct(entries: readonly Entry[], table: FieldTable, path: string): ConfigTree {
    const tree: Record<string, ConfigValue> = {};
    for (const { key, keyNode, valueNode } of entries) {
      const memberAt = memberPath(path, key);
      const spec = own(table, key);
      if (spec === undefined) {
        const expected = `a known field${suggestion(key, Object.keys(table))}`;
        this.#report('unknown-field', { path: memberAt, expected }, keyNode);
        continue;
      }
      const value = this.#value(valueNode, spec.type, memberAt);
      if (value !== undefined) put(tree, key, this.#settled(value, spec));
    }
    return tree;
  }

  #settled(value: ConfigValue, spec: FieldSpec): ConfigValue {
    if (spec.relativeToFile !== true || typeof value !== 'string' || value === '' || isAbsolute(value)) return value;
    return join(dirname(this.#source), value);
  }

  /** Returns the value of a node for a type. `undefined` when a problem was reported instead. */
  #value(given: Node | undefined, type: ValueType, path: string): ConfigValue | undefined {
    const node = this.#resolved(given);
    this.#origins.set(path, this.#originOf(given));
    if (isAlias(given) && node === undefined) {
      this.#report('syntax', { path, expected: 'an alias of an anchor defined above' }, given);
      return undefined;
    }
    if (node === undefined || (isScalar(node) && node.value === null)) return null;
    const shape = shapeOf(type);
    switch (shape.kind) {
      case 'struct': {
        const entries = this.#entries(node, path);
        return entries === undefined ? undefined : this.#struct(entries, structFields[shape.struct], path);
      }
      case 'map': {
        const entries = this.#entries(node, path, entryPath);
        return entries === undefined ? undefined : this.#map(entries, shape.value, path);
      }
      case 'list':
        return this.#list(node, shape.item, path);
      case 'scalar': {
        const read = readScalar(shape.scalar, isScalar(node) ? node.value : undefined);
        if (read.ok) return read.value;
        this.#report('wrong-type', { path, expected: read.expected }, node);
        return undefined;
      }
      default:
        return shape satisfies never;
    }
  }

  #map(entries: readonly Entry[], type: ValueType, path: string): ConfigTree {
    const values: [string, ConfigValue][] = [];
    for (const { key, valueNode } of entries) {
      const value = this.#value(valueNode, type, entryPath(path, key));
      if (value !== undefined) values.push([key, value]);
    }
    // Unlike assignment, this keeps a key such as __proto__ a plain key.
    return Object.fromEntries(values);
  }

  #list(node: Node, type: ValueType, path: string): ConfigValue | undefined {
    if (!isSeq(node)) {
      this.#report('wrong-type', { path, expected: 'a list' }, node);
      return undefined;
    }
    const items: ConfigValue[] = [];
    for (const [index, item] of node.items.entries()) {
      const value = this.#value(isNode(item) ? item : undefined, type, itemPath(path, index));
      if (value === null) this.#report('wrong-type', { path: itemPath(path, index), expected: 'a value' }, node);
      else if (value !== undefined) items.push(value);
    }
    return items;
  }

  /**
   * Returns the entries of a mapping, each key once. `undefined` when the node is not a mapping; the problem is then
   * reported.
   */
  #entries(given: Node, path: string, pathOf = memberPath): readonly Entry[] | undefined {
    const node = this.#resolved(given);
    if (!isMap(node)) {
      const expected = path === '' ? `the fields of a ${kind}` : 'an object';
      this.#report('wrong-type', { path, expected }, given);
      return undefined;
    }
    const entries = new Map<string, Entry>();
    for (const pair of node.items) {
      const keyNode = isNode(pair.key) ? pair.key : undefined;
      const key = isScalar(keyNode) ? String(keyNode.value) : this.#originOf(keyNode).written;
      if (entries.has(key)) {
        const expected = 'each key once: this one was used above';
        this.#report('duplicate-key', { path: pathOf(path, key), expected }, keyNode);
        continue;
      }
      entries.set(key, { key, keyNode, valueNode: isNode(pair.value) ? pair.value : undefined });
    }
    return [...entries.values()];
  }

  #resolved(node: Node | undefined): Node | undefined {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }

  #originOf(node: Node | undefined, offset = node?.range?.[0] ?? 0): Origin {
    const { line, col } = this.#lines.linePos(offset);
    const end = node?.range?.[1] ?? offset;
    const written = this.#text.slice(offset, end).replaceAll(/\s+/g, ' ').trim();
    return { source: this.#source, line: Math.max(1, line), column: Math.max(1, col), written };
  }

  #report(code: ConfigProblemCode, about: { path: string; expected: string }, node: Node | undefined): void {
    this.#problems.push(problemAt(this.#originOf(node), { code, ...about }));
  }
}
