import {
  decodeManifest,
  describeManifestProblem,
  locateProblems,
  manifestTooLarge,
  MAX_MANIFEST_BYTES,
} from '../kube/manifest/decode-manifest.ts';
import type { ManifestProblem } from '../kube/manifest/decode-manifest.ts';
import { defaultPod } from '../kube/manifest/default-pod.ts';
import type { FieldProblem } from '../kube/validation/field-path.ts';
import type { Pod } from '../kube/pod.ts';
import { staticPod } from '../kube/manifest/static-pod.ts';
import { validatePod } from '../kube/validation/validate-pod.ts';
import { readRegularFile, ForbiddenFile } from '../host/read-regular-file.ts';
import { messageOf } from '../kube/text/message-of.ts';

/** One manifest file to read. */
export interface ManifestFile {
  readonly path: string;
  readonly nodeName: string;
  /** Kinds of API objects, in the plural, that the manifest may refer to. */
  readonly mayReferTo?: readonly string[];
}

export type ManifestFault =
  /** The file vanished, or its permissions forbid reading it. */
  | 'unreadable'
  | 'too-large'
  /** The path is not a regular file. */
  | 'no-file'
  /** Every job that read the file was lost. */
  | 'unparsable'
  /** The text does not contain a Pod. */
  | 'malformed'
  /** The API server would reject the Pod. */
  | 'invalid'
  /** The Pod needs objects of the API. */
  | 'refers-to-api-objects';

/** The result of reading a manifest; plain data, since it crosses a thread. */
export type ParsedManifest =
  | { readonly path: string; readonly ok: true; readonly pod: Pod; readonly sizeBytes: number }
  | {
      readonly path: string;
      readonly ok: false;
      readonly fault: ManifestFault;
      /** One line for people, about the first of the problems. */
      readonly problem: string;
      readonly problems: readonly ManifestProblem[];
    };

/** The file system access for reading manifests. Rejects with `ForbiddenFile`, or as `node:fs` does. */
export interface ManifestFiles {
  read(path: string): Promise<Uint8Array>;
}

const onDisk: ManifestFiles = { read: (path) => readRegularFile(path, { maxBytes: MAX_MANIFEST_BYTES }) };

/**
 * Job for a worker thread: makes each file a static pod of the node, or returns its problem. Results have the order of
 * the files. Files are read one by one, because the largest ones together would not fit into the thread's memory.
 */
export async function parseManifests(files: readonly ManifestFile[]): Promise<readonly ParsedManifest[]> {
  const parsed: ParsedManifest[] = [];
  for (const file of files) parsed.push(await parseManifestFrom(onDisk, file));
  return parsed;
}

/** Job for a worker thread: `parseManifests` for one file. */
export const parseManifest = (file: ManifestFile): Promise<ParsedManifest> => parseManifestFrom(onDisk, file);

export async function parseManifestFrom(
  files: ManifestFiles,
  { path, nodeName, mayReferTo = [] }: ManifestFile,
): Promise<ParsedManifest> {
  let bytes: Uint8Array;
  try {
    bytes = await files.read(path);
  } catch (error) {
    if (error instanceof ForbiddenFile && error.reason === 'too-large')
      return failed(path, 'too-large', [manifestTooLarge(path)]);
    const message = messageOf(error);
    return failed(path, error instanceof ForbiddenFile ? 'no-file' : 'unreadable', [{ file: path, message }]);
  }
  return parseManifestText({ path, nodeName, mayReferTo, bytes });
}

function parseManifestText({
  path,
  nodeName,
  mayReferTo = [],
  bytes,
}: ManifestFile & { readonly bytes: Uint8Array }): ParsedManifest {
  const sizeBytes = bytes.byteLength;
  const manifest = { file: path, text: new TextDecoder().decode(bytes), sizeBytes };
  const decoded = decodeManifest(manifest);
  if (!decoded.ok) return failed(path, sizeBytes > MAX_MANIFEST_BYTES ? 'too-large' : 'malformed', decoded.problems);

  const invalid = (problems: readonly FieldProblem[]): ParsedManifest =>
    failed(path, 'invalid', locateProblems(manifest, problems));
  // The decoder accepts Pods without either member, whatever the type says; the code below does not.
  const { metadata, spec } = decoded.pod as Partial<Pod>;
  if (metadata === undefined || spec === undefined) return invalid(validatePod(decoded.pod));

  const made = staticPod({ manifest: decoded.pod, nodeName, source: { type: 'file', path }, mayReferTo });
  if (!made.ok) return failed(path, 'refers-to-api-objects', [{ file: path, message: made.message }]);
  const pod = defaultPod(made.pod);
  const problems = validatePod(pod);
  return problems.length > 0 ? invalid(problems) : { path, ok: true, pod, sizeBytes };
}

function failed(path: string, fault: ManifestFault, problems: readonly ManifestProblem[]): ParsedManifest {
  const [first] = problems;
  const problem = first === undefined ? `${path}: cannot be used` : describeManifestProblem(first);
  return { path, ok: false, fault, problem, problems };
}
