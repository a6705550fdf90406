import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface DataDirectory {
  readonly path: string;
  readonly mode: number;
}

/** The agent's folders, and nobody else's to look into: secrets of pods lie there. */
export const ROOT_DIR_MODE = 0o750;

/** What an agent makes at its start, each after the one it lies in, with the modes of a kubelet. */
export const dataDirectories = (rootDir: string, podLogsDir: string): readonly DataDirectory[] =>
  [rootDir, join(rootDir, 'pods'), join(rootDir, 'plugins'), podLogsDir].map((path) => ({ path, mode: ROOT_DIR_MODE }));

/** Directories that are there keep the mode that they have. Throws as `node:fs` does. */
export function makeDataDirectories(directories: readonly DataDirectory[]): void {
  for (const { path, mode } of directories) mkdirSync(path, { recursive: true, mode });
}

/** Takes write access of others away from what is made without a mode, and nothing from the modes in this code. */
const FILE_MODE_MASK = 0o022;

/**
 * Gives this process, all its threads and the programs it starts a file mode mask of their own: the mode of a directory must
 * not depend on who has started the agent. Only the main thread may.
 */
export const useOwnFileModeMask = (): void => void process.umask(FILE_MODE_MASK);
