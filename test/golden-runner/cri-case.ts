import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../pod/cri-config/golden-form.ts';
import type { CriEnvironment } from './cri-environment.ts';
import { MalformedCase } from './malformed-case.ts';

/** An object of a manifest. */
export interface CaseObject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [member: string]: unknown;
}

export interface ExpectedState {
  readonly name: string;
  readonly state?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number;
}

/** The recorded requests and reports of a kubelet. Absent members are not compared. */
export interface ExpectedCri {
  readonly status?: {
    readonly phase?: string;
    readonly qosClass?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly containerStatuses?: readonly ExpectedState[];
    readonly initContainerStatuses?: readonly ExpectedState[];
    readonly ephemeralContainerStatuses?: readonly ExpectedState[];
  };
  readonly events?: readonly Json[];
  readonly runPodSandbox?: readonly Json[];
  readonly createContainer?: readonly Json[];
  readonly imageService?: Readonly<Record<string, readonly Json[]>>;
  readonly sequence?: readonly string[];
  readonly teardown?: Readonly<Record<string, readonly string[]>>;
  readonly files?: readonly Json[];
  readonly mirrorPod?: Json;
  readonly refused?: boolean;
  /** The reason why the expectation differs from the recording, if it does. */
  readonly note?: string;
}

const LISTS: ReadonlySet<string> = new Set(['events', 'runPodSandbox', 'createContainer', 'sequence', 'files']);
const OBJECTS: ReadonlySet<string> = new Set(['status', 'imageService', 'teardown', 'mirrorPod']);
const OTHERS: ReadonlySet<string> = new Set(['case', 'about', 'logged', 'note', 'refused']);

/** A folder with a user's manifest, the object that the API server stores, and the resulting CRI requests. */
export interface CriCase {
  readonly name: string;
  readonly folder: string;
  readonly environment: CriEnvironment;
  readonly objects: readonly CaseObject[];
  /** The object as stored by the API server, or as in the manifest if not recorded. `undefined` for a static pod. */
  readonly stored: CaseObject | undefined;
  readonly manifest: { readonly file: string; readonly text: string };
  readonly expected: ExpectedCri;
}

const DEFAULT_ENVIRONMENT = join(import.meta.dirname, '../golden/cri/environment.json');

export const isCriCase = (folder: string): boolean => existsSync(join(folder, 'expected.json'));

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new MalformedCase(file, 'the file', error instanceof Error ? error.message : String(error));
  }
}

function objectIn(file: string): Readonly<Record<string, unknown>> {
  const value = readJson(file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new MalformedCase(file, 'the file', `${JSON.stringify(value)} is not an object`);
}

/** Returns the environment of the case or of its folder. Absent members have the values of our own recordings. */
export function environmentOf(folder: string): CriEnvironment {
  const defaults = objectIn(DEFAULT_ENVIRONMENT);
  const file = [folder, dirname(folder)].map((at) => join(at, 'environment.json')).find((at) => existsSync(at));
  // Members are checked where they are used.
  return { ...defaults, ...(file !== undefined && objectIn(file)) } as unknown as CriEnvironment;
}

/** Throws a {@link MalformedCase}. */
export function readCriCase(folder: string): CriCase {
  const expectedFile = join(folder, 'expected.json');
  const expected = objectIn(expectedFile);
  for (const [member, value] of Object.entries(expected)) {
    if (!LISTS.has(member) && !OBJECTS.has(member) && !OTHERS.has(member))
      throw new MalformedCase(expectedFile, member, `${JSON.stringify(value)} is not known here`);
    checkMember(expectedFile, member, value);
  }
  const manifest = ['manifest.yaml', 'manifest.yml', 'manifest.json']
    .map((name) => join(folder, name))
    .find((file) => existsSync(file));
  if (manifest === undefined) throw new MalformedCase(join(folder, 'manifest.yaml'), 'the file', 'is not there');
  const storedFile = join(folder, 'stored.json');
  const objects = objectsIn(manifest);
  const isStatic = basename(folder).startsWith('static-') || 'mirrorPod' in expected || 'refused' in expected;
  const writtenPod = (): CaseObject | undefined => (isStatic ? undefined : objects.find(({ kind }) => kind === 'Pod'));
  return {
    name: basename(folder),
    folder,
    environment: environmentOf(folder),
    objects,
    stored: existsSync(storedFile) ? caseObject(storedFile, 'the object', readJson(storedFile)) : writtenPod(),
    manifest: { file: manifest, text: readFileSync(manifest, 'utf8') },
    expected,
  };
}

function checkMember(file: string, member: string, value: unknown): void {
  if (LISTS.has(member) && !Array.isArray(value))
    throw new MalformedCase(file, member, `${JSON.stringify(value)} is not a list`);
  if (OBJECTS.has(member) && (typeof value !== 'object' || value === null || Array.isArray(value)))
    throw new MalformedCase(file, member, `${JSON.stringify(value)} is not an object`);
}

function objectsIn(file: string): readonly CaseObject[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1', logLevel: 'silent' });
  const list = Array.isArray(documents) ? documents : [];
  return list.flatMap((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) throw new MalformedCase(file, `document ${index + 1}`, error.message);
    const value: unknown = document.toJS();
    return value === null ? [] : [caseObject(file, `document ${index + 1}`, value)];
  });
}

function caseObject(file: string, field: string, value: unknown): CaseObject {
  const { kind, metadata } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  if (typeof kind !== 'string') throw new MalformedCase(file, `${field}.kind`, `${JSON.stringify(kind)} is not a kind`);
  if (kind !== 'EphemeralContainers' && typeof metadata?.name !== 'string')
    throw new MalformedCase(file, `${field}.metadata.name`, `${JSON.stringify(metadata?.name)} is not a name`);
  return value as CaseObject;
}
