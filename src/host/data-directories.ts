import { join } from 'node:path';
import { makeDirectories } from './exact-modes.ts';

export interface DataDirectory {
  readonly path: string;
  readonly mode: number;
}

/** The agent's folders are closed to other users, because they hold secrets of pods. */
export const ROOT_DIR_MODE = 0o750;

/** Returns the directories that an agent creates at its start, parents first, with the kubelet's modes. */
export const dataDirectories = (rootDir: string, podLogsDir: string): readonly DataDirectory[] =>
  [rootDir, join(rootDir, 'pods'), join(rootDir, 'plugins'), podLogsDir].map((path) => ({ path, mode: ROOT_DIR_MODE }));

/** Existing directories keep their mode. Throws as `node:fs` does. */
export function makeDataDirectories(directories: readonly DataDirectory[]): void {
  for (const { path, mode } of directories) makeDirectories(path, mode);
}

/** Removes the write access of others from files created without a mode. Modes that are promised do not depend on it. */
const FILE_MODE_MASK = 0o022;

/**
 * Sets the file mode mask of this process, its threads and the programs it starts. The mode of a directory must not
 * depend on the process that started the agent. Call it on the main thread only.
 */
export const useOwnFileModeMask = (): void => void process.umask(FILE_MODE_MASK);
