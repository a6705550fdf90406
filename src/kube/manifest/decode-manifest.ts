import { isScalar } from 'yaml';
import type { CollectionTag, Document, DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';
import { decodeShape } from './decode-shape.ts';
import { formatFieldPath } from '../validation/field-path.ts';
import type { FieldPath, FieldProblem } from '../validation/field-path.ts';
import { own } from '../text/own.ts';
import { parseYamlDocuments, plainValue, type Unparsed, type YamlDocuments } from '../text/parse-yaml.ts';
import type { Pod } from '../pod.ts';
import { podShape } from './pod-shape.ts';
import { whyOverlarge } from './why-overlarge.ts';

/** The largest manifest that is read, as in the kubelet. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024;

/** A problem of a manifest, and its place. Lines and columns count from 1. */
export interface ManifestProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** `spec.containers[0].image`; absent when the problem has no single field. */
  readonly path?: string;
  readonly value?: unknown;
  readonly message: string;
}

export interface Manifest {
  readonly file: string;
  readonly text: string;
  /** The size of the file; the text may have fewer UTF-16 units. */
  readonly sizeBytes: number;
}

/**
 * A pod as its manifest has it. The types are right, but no defaults are set, and fields that the API requires may be
 * missing (`default-pod.ts` and `validate-pod.ts` come next).
 */
export type DecodedManifest =
  { readonly ok: true; readonly pod: Pod } | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** Parses one Pod from YAML or JSON. Every failure is a result, with its place. */
export function decodeManifest(manifest: Manifest): DecodedManifest {
  const { file, text, sizeBytes } = manifest;
  if (sizeBytes > MAX_MANIFEST_BYTES) return refused(manifestTooLarge(file));
  const document = readJson(text) ?? readYaml(file, text);
  if (!document.ok) return document;

  // The code below walks the document by recursion.
  const overlarge = whyOverlarge(document.value);
  if (overlarge !== undefined) return refused({ file, message: `${overlarge}: no Pod is that large` });
  const wrongKind = whyNoPod(document.value);
  if (wrongKind !== undefined) return { ok: false, problems: locateProblems(manifest, [wrongKind]) };

  const decoded = decodeShape(podShape, document.value);
  if (decoded.problems.length > 0) {
    return { ok: false, problems: locateProblems(manifest, decoded.problems) };
  }
  // The shape was checked member by member. Validation reports missing required members.
  return { ok: true, pod: decoded.value as Pod };
}

export const manifestTooLarge = (file: string): ManifestProblem => ({
  file,
  message: `the file has more than the ${MAX_MANIFEST_BYTES} bytes (10 MiB) that a manifest may have`,
});

const refused = (problem: ManifestProblem): DecodedManifest => ({ ok: false, problems: [problem] });

// ---- text to plain values -----------------------------------------------------------------------------------------

type Text =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };

/** The fast path. `undefined` leaves the text to the YAML reader, which also finds the place of a mistake. */
function readJson(text: string): Text | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (whyOverlarge(value) !== undefined) return { ok: true, value };
    // JSON.parse silently keeps the last of two equal keys; then there are more colons than keys.
    return countColons(text) === countKeys(value) ? { ok: true, value } : undefined;
  } catch {
    return undefined;
  }
}

function countColons(json: string): number {
  let colons = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === 0x5c) at += 1;
    else if (character === 0x22) inString = !inString;
    else if (character === 0x3a && !inString) colons += 1;
  }
  return colons;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly unknown[] = Object.values(value);
  return members.reduce<number>((sum, member) => sum + countKeys(member), Array.isArray(value) ? 0 : members.length);
}

/**
 * Kubernetes reads YAML 1.1 (`0644` is octal, `yes` is true), but neither its times (`2026-01-01` stays text) nor its
 * numbers in base 60 (`22:22` stays text).
 */
const YAML_OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  keepSourceTokens: false,
  customTags: (tags: Tags): Tags =>
    tags.flatMap<Tags[number]>((tag) => (typeof tag === 'string' ? [tag] : adaptedTag(tag))),
};

const FLOAT_TESTS: Readonly<Record<string, RegExp>> = {
  '': /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)$/,
  EXP: /^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)[eE][-+]?[0-9]+$/,
};

function adaptedTag(tag: CollectionTag | ScalarTag): readonly (CollectionTag | ScalarTag)[] {
  if (tag.collection !== undefined) return [tag];
  if (tag.format === 'TIME' || tag.tag.endsWith(':timestamp')) return [];
  if (!tag.tag.endsWith(':float') || tag.test?.test('.nan') === true) return [tag];
  // The library's own test accepts `E1` and `.` as numbers. They are words, and `E1` is a likely name.
  const test = own(FLOAT_TESTS, tag.format ?? '');
  return test === undefined ? [tag] : [{ ...tag, test }];
}

const isEmpty = ({ contents }: Document): boolean =>
  contents === null || (isScalar(contents) && contents.value === null);

function parseManifest(text: string): YamlDocuments | Unparsed {
  const parsed = parseYamlDocuments(text, { reading: YAML_OPTIONS });
  if (!parsed.ok) return parsed;
  // A file may open with comments and end in `---`; only documents with something in them count.
  const documents = parsed.documents.filter((document) => !isEmpty(document) || document.errors.length > 0);
  return { ...parsed, documents };
}

function readYaml(file: string, text: string): Text {
  const parsed = parseManifest(text);
  if (!parsed.ok) return { ok: false, problems: [{ file, message: `the file ${parsed.problem}` }] };
  const { documents, lines } = parsed;
  const [document, second] = documents;
  if (document === undefined)
    return { ok: false, problems: [{ file, message: 'the file is empty: a Pod is expected' }] };
  const at = (offset: number): { readonly line: number; readonly column: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (document.errors.length > 0) {
    const problems = document.errors.slice(0, MOST_PROBLEMS).map((error) => ({
      file,
      ...at(error.pos[0]),
      message: error.code === 'DUPLICATE_KEY' ? `the key ${keyAt(text, error.pos)} appears twice` : error.message,
    }));
    return { ok: false, problems };
  }
  if (second !== undefined) {
    const where = at(second.range?.[0] ?? 0);
    return {
      ok: false,
      problems: [{ file, ...where, message: 'a second document begins here: write one Pod in each file' }],
    };
  }
  const plain = plainValue(document);
  return plain.ok ? plain : { ok: false, problems: [{ file, message: `${plain.problem}: no Pod is like that` }] };
}

const keyAt = (text: string, [from, to]: readonly [number, number]): string =>
  JSON.stringify(/^["']?([^"':\s]+)/.exec(text.slice(from, Math.max(to, from + 64)))?.[1] ?? '');

function whyNoPod(value: unknown): FieldProblem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { path: [], value, message: 'a Pod is expected: a mapping with apiVersion, kind, metadata and spec' };
  }
  // Members of any object are unknown; both are checked below.
  const { apiVersion, kind } = value as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (kind === undefined || kind === null) return { path: ['kind'], message: 'is missing: "Pod" is expected' };
  if (kind === 'List' || kind === 'PodList') {
    return { path: ['kind'], value: kind, message: 'lists are not supported: write one Pod in each file' };
  }
  if (kind !== 'Pod') return { path: ['kind'], value: kind, message: 'only a Pod can be run from a file' };
  if (apiVersion !== 'v1') return { path: ['apiVersion'], value: apiVersion, message: 'must be "v1"' };
  return undefined;
}

// ---- where a field stands -----------------------------------------------------------------------------------------

/** More problems would hide the first ones, which a user fixes first. */
const MOST_PROBLEMS = 20;

/**
 * Adds the place in the text to each problem of a field. A missing field gets the place of the nearest field around it.
 */
export function locateProblems(manifest: Manifest, problems: readonly FieldProblem[]): readonly ManifestProblem[] {
  const parsed = parseManifest(manifest.text);
  return problems.slice(0, MOST_PROBLEMS).map((problem) => {
    const path = formatFieldPath(problem.path);
    return {
      file: manifest.file,
      ...(parsed.ok && positionOf(parsed, problem.path)),
      ...(path === '' ? {} : { path }),
      ...(problem.value === undefined ? {} : { value: problem.value }),
      message: problem.message,
    };
  });
}

function positionOf(
  { documents, lines }: YamlDocuments,
  path: FieldPath,
): { readonly line?: number; readonly column?: number } {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node: unknown = documents[0]?.getIn(path.slice(0, depth), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (!Array.isArray(range) || typeof range[0] !== 'number') continue;
    const { line, col } = lines.linePos(range[0]);
    return { line, column: col };
  }
  return {};
}

/** One line for people: `web.yaml:7:12: spec.containers[0].image: must be text: put it in quotes (found 5)`. */
export function describeManifestProblem(problem: ManifestProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}:${problem.column ?? 1}`;
  const field = problem.path === undefined ? '' : `${problem.path}: `;
  const found = problem.value === undefined ? '' : ` (found ${shortened(JSON.stringify(problem.value) ?? '')})`;
  return `${place}: ${field}${problem.message}${found}`;
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text);
