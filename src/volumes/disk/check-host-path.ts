import { open, stat } from 'node:fs/promises';
import { makeDirectoriesLater } from '../../host/exact-modes.ts';
import type { Stats } from 'node:fs';
import { own } from '../../kube/text/own.ts';
import { isCode } from './open-directory.ts';
import type { HostPathPlan } from '../plan/volume-plan.ts';

interface Check {
  readonly is: (stats: Stats) => boolean;
  readonly called: string;
  readonly make?: (path: string) => Promise<void>;
}

/**
 * By type of host path: the required kind of entry, its name in messages, and how a missing path is created, where
 * allowed.
 */
const CHECKS: Readonly<Record<string, Check>> = {
  Directory: { is: (stats) => stats.isDirectory(), called: 'a directory' },
  DirectoryOrCreate: { is: (stats) => stats.isDirectory(), called: 'a directory', make: makeDirectory },
  File: { is: (stats) => stats.isFile(), called: 'a file' },
  FileOrCreate: { is: (stats) => stats.isFile(), called: 'a file', make: makeFile },
  Socket: { is: (stats) => stats.isSocket(), called: 'a socket file' },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), called: 'a character device' },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), called: 'a block device' },
};

/**
 * Returns why the path does not have the required type; `undefined` when it does. Paths without a type are not checked.
 * Creates the path where its type allows that.
 */
export async function checkHostPath({ path, check }: HostPathPlan): Promise<string | undefined> {
  if (path.split('/').includes('..')) return `invalid HostPath \`${path}\`: must not contain '..'`;
  if (check === '') return undefined;
  const wanted = own(CHECKS, check);
  if (wanted === undefined) return `hostPath type check failed: ${check} is not a type of host path`;
  const found = await statIfThere(path);
  if (found === undefined && wanted.make !== undefined) {
    await wanted.make(path);
    return undefined;
  }
  return found !== undefined && wanted.is(found)
    ? undefined
    : `hostPath type check failed: ${path} is not ${wanted.called}`;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

function makeDirectory(path: string): Promise<void> {
  return makeDirectoriesLater(path, 0o755);
}

async function makeFile(path: string): Promise<void> {
  const file = await open(path, 'a', 0o644);
  try {
    await file.chmod(0o644);
  } finally {
    await file.close();
  }
}
