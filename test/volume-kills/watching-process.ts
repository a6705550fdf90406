/**
 * A reader process that never stops: it opens the target of `..data` in every volume of every pod and reads all files.
 * Content that is not one complete generation is torn. The process reports its findings on request.
 */
import { readdirSync, readFileSync, readlinkSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { textOf } from './volumes-of-a-pod.ts';

export interface Seen {
  readonly reads: number;
  /** The reads whose version was replaced during the read, and which prove nothing. */
  readonly overtaken: number;
  readonly torn: readonly string[];
}

/** The expected content of volumes: the exports of a module. */
export interface ContentRules {
  /** The number of files of one generation in a volume of this kind. */
  readonly filesOf: (kind: string, generation: number) => number;
  /** A file that is a token of a service account, and of no generation. */
  readonly isToken: (name: string) => boolean;
}

const [, , rootDir = '', rules = import.meta.resolve('./volumes-of-a-pod.ts')] = process.argv;
const { filesOf, isToken } = (await import(rules)) as ContentRules;
const watched = /configmap|secret|downward|projected/;
const A_WHOLE_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
let reads = 0;
let overtaken = 0;
const torn = new Set<string>();
/** The most findings that are kept. */
const TORN_AT_MOST = 20;
/** Volumes that have had content, and must never be without. */
const filled = new Set<string>();

const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const isTorn = (what: string): void => void (torn.size < TORN_AT_MOST && torn.add(what));

function judge(volume: string, kind: string, version: string): string | undefined {
  const all = orUndefined(() =>
    readdirSync(join(volume, version), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  if (all === undefined) return 'what it leads to cannot be listed';
  const tokens = all.filter(({ name }) => isToken(name));
  const entries = all.filter(({ name }) => !isToken(name));
  const isWhole = ({ parentPath, name }: Dirent): boolean =>
    A_WHOLE_TOKEN.test(orUndefined(() => readFileSync(join(parentPath, name), 'utf8')) ?? '');
  if (!tokens.every(isWhole)) return 'a token is not whole';
  const texts = entries.map((entry) => orUndefined(() => readFileSync(join(entry.parentPath, entry.name), 'utf8')));
  if (texts.includes(undefined)) return 'a file that is listed cannot be read';
  const [first = ''] = texts;
  if (texts.some((text) => text !== first)) return 'two generations, or half a file';
  const generation = Number(/^generation (\d+)\n/.exec(first)?.[1] ?? Number.NaN);
  if (first !== textOf(generation)) return `a file holds ${JSON.stringify(first.slice(0, 40))}`;
  const wanted = filesOf(kind, generation);
  return texts.length === wanted ? undefined : `${texts.length} files of ${wanted} of generation ${generation}`;
}

function look(volume: string, kind: string): void {
  const version = orUndefined(() => readlinkSync(join(volume, '..data')));
  if (version === undefined) {
    if (filled.has(volume)) isTorn(`${volume}: what was in it is gone`);
    return;
  }
  reads += 1;
  filled.add(volume);
  const problem = judge(volume, kind, version);
  if (problem === undefined) return;
  if (orUndefined(() => readlinkSync(join(volume, '..data'))) !== version) overtaken += 1;
  else isTorn(`${volume} at ${version}: ${problem}`);
}

/** Pods whose volumes are being removed: no container reads them, and a reader would block the removal. */
const leaving = new Set<string>();

const list = (directory: string): readonly string[] => orUndefined(() => readdirSync(directory)) ?? [];

function lookAtAll(): void {
  for (const pod of list(join(rootDir, 'pods'))) {
    if (leaving.has(pod)) continue;
    for (const kind of list(join(rootDir, 'pods', pod, 'volumes'))) {
      if (!watched.test(kind)) continue;
      for (const name of list(join(rootDir, 'pods', pod, 'volumes', kind))) {
        look(join(rootDir, 'pods', pod, 'volumes', kind, name), kind);
      }
    }
  }
  setImmediate(lookAtAll);
}

process.on('message', (told: { readonly leaving: readonly string[] }) => {
  leaving.clear();
  for (const pod of told.leaving) leaving.add(pod);
  process.send?.({ reads, overtaken, torn: [...torn] } satisfies Seen);
});
process.on('disconnect', () => process.exit());
lookAtAll();
