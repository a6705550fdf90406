import { lstatSync, mkdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { constants, enableCompileCache, flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultRootDir } from '../config/flags/default-root-dir.ts';
import { messageOf } from '../kube/text/message-of.ts';

/**
 * The folder of V8's compiled code, under the agent's root folder, for the next process. An agent that was killed
 * serves again in about half the time when it need not compile. Node keeps separate entries for each of its versions,
 * and ignores entries whose source has changed.
 */
const cacheFolder = (rootDir: string): string => join(rootDir, 'compile-cache');

/**
 * Uses the cache of an earlier agent with these arguments, if there is one. Call it before most of the program is
 * loaded. It creates nothing, since the arguments are not validated yet. Never throws.
 */
export function useCompileCache(args: readonly string[]): void {
  try {
    const rootDir = rootDirOf(args);
    if (whyNotTrusted(rootDir) === undefined) enable(cacheFolder(rootDir));
  } catch {
    // The agent starts without the cache; `makeCompileCache` reports the problem later.
  }
}

export interface CompileCache {
  /** Why there can be no cache: the agent then only starts more slowly. */
  readonly problem: string | undefined;
  /**
   * Removes a cache that this agent made and has not stored yet. An exiting thread stores all code that it compiled;
   * without the folder that fails at once, and otherwise it takes seconds. Never throws.
   */
  readonly abandon: () => void;
}

/** Makes the cache in this agent's root folder. This thread and all later threads use it. */
export function makeCompileCache(rootDir: string): CompileCache {
  const folder = cacheFolder(rootDir);
  try {
    const isNew = mkdirSync(folder, { mode: 0o700, recursive: true }) !== undefined;
    const problem = whyNotTrusted(rootDir) ?? enable(folder);
    return { problem, abandon: isNew && problem === undefined ? () => remove(folder) : nothing };
  } catch (error) {
    return { problem: messageOf(error), abandon: nothing };
  }
}

const nothing = (): void => {};

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The exit takes longer.
  }
}

/** By then an agent has compiled the code that it runs. Code that never runs need not be kept. */
export const KEEP_COMPILED_AFTER_MS = 3_000;

/**
 * Stores the code that this thread has compiled so far. Stores nothing without a cache, and no code that came from the
 * cache. A full disk stores nothing and reports nothing. The thread stands still meanwhile: some tenths of a second
 * when all code is new, and far longer while another thread does the same, because both replace the same files. So
 * threads do this in turn.
 */
export const keepCompiled = (): void => flushCompileCache();

function enable(folder: string): string | undefined {
  const { status, message } = enableCompileCache({ directory: folder });
  if (status === constants.compileCacheStatus.FAILED) return message ?? 'Node cannot use it';
  // Threads learn of the cache from this variable. With `NODE_DISABLE_COMPILE_CACHE` set, the status is `DISABLED`, and
  // there is no cache.
  if (status === constants.compileCacheStatus.ENABLED) process.env['NODE_COMPILE_CACHE'] = folder;
  return undefined;
}

/**
 * Returns why the cache cannot be trusted: a user who may write there decides what the agent runs. Throws when the
 * folders do not exist.
 */
function whyNotTrusted(rootDir: string): string | undefined {
  // The root folder may be a link to a larger disk. Within it only the agent makes links.
  const paths = [realpathSync(rootDir), cacheFolder(rootDir)];
  for (const path of paths) {
    const { uid, mode } = statSync(path);
    if (!lstatSync(path).isDirectory()) return `${path} is not a folder`;
    if (uid !== process.geteuid?.()) return `${path} belongs to another user (${uid})`;
    if ((mode & 0o022) !== 0) return `${path} can be written to by other users`;
  }
  return undefined;
}

/** Returns the root folder, read before commander is loaded. The last of several values counts, as in commander. */
export function rootDirOf(args: readonly string[]): string {
  const { values } = parseArgs({
    args: args.map((arg) => arg.replace(/^--root_dir(?==|$)/, '--root-dir')),
    options: { 'root-dir': { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  const given = values['root-dir'];
  return resolve(typeof given === 'string' ? given : defaultRootDir);
}
