import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { constants, enableCompileCache, flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultRootDir } from '../config/flags/default-root-dir.ts';
import { messageOf } from '../kube/text/message-of.ts';

/**
 * What V8 has compiled, kept in the agent's root folder for the next process: an agent that was killed serves again in about half
 * the time when it need not compile anything. Node keeps the entries of each of its versions apart, and uses none whose
 * source has changed.
 */
const cacheFolder = (rootDir: string): string => join(rootDir, 'compile-cache');

/**
 * Uses the cache that an earlier agent with these arguments has left, if there is one. Called before most of the program is loaded;
 * makes nothing, since the arguments are not judged yet. Never throws.
 */
export function useCompileCache(args: readonly string[]): void {
  try {
    const rootDir = rootDirOf(args);
    if (whyNotTrusted(rootDir) === undefined) enable(cacheFolder(rootDir));
  } catch {
    // The agent starts without it, and says so when it comes to `makeCompileCache`.
  }
}

/**
 * Makes the cache of a root folder that is this agent's, and has this thread use it and all that are started from now on. Returns
 * what is wrong if there can be none: the agent then only starts more slowly.
 */
export function makeCompileCache(rootDir: string): string | undefined {
  const folder = cacheFolder(rootDir);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    return whyNotTrusted(rootDir) ?? enable(folder);
  } catch (error) {
    return messageOf(error);
  }
}

/** What an agent runs it has compiled by then, and what it never runs it need not keep. */
export const KEEP_COMPILED_AFTER_MS = 3_000;

/**
 * This thread writes down what it has compiled by now; nothing without a cache, nor what came out of it. On a full disk nothing is
 * kept, and nothing said. It stands still meanwhile, some tenths of a second when all is new, and far longer while another
 * thread does the same: both replace the same files. So threads do it in turn.
 */
export const keepCompiled = (): void => flushCompileCache();

function enable(folder: string): string | undefined {
  const { status, message } = enableCompileCache({ directory: folder });
  if (status === constants.compileCacheStatus.FAILED) return message ?? 'Node cannot use it';
  // How threads learn of it. Without a status of its own: whoever wants none sets NODE_DISABLE_COMPILE_CACHE.
  if (status === constants.compileCacheStatus.ENABLED) process.env['NODE_COMPILE_CACHE'] = folder;
  return undefined;
}

/** Whoever may write there decides what the agent runs. Throws when there is nothing. */
function whyNotTrusted(rootDir: string): string | undefined {
  // The root folder may be a link to a larger disk; within it nobody but the agent makes links.
  const paths = [realpathSync(rootDir), cacheFolder(rootDir)];
  for (const path of paths) {
    const { uid, mode } = statSync(path);
    if (!lstatSync(path).isDirectory()) return `${path} is not a folder`;
    if (uid !== process.geteuid?.()) return `${path} belongs to another user (${uid})`;
    if ((mode & 0o022) !== 0) return `${path} can be written to by other users`;
  }
  return undefined;
}

/** The root folder, read before commander is loaded. Of several the last one counts, as there. */
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
