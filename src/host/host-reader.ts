import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { arch, cpus, release } from 'node:os';
import type { HostReader } from './machine-facts.ts';

/** Reads this machine. Reads of kernel files are small, synchronous and rare. */
export const hostReader: HostReader = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  list(directory) {
    try {
      return readdirSync(directory);
    } catch {
      return [];
    }
  },
  fileSystemBytes(path) {
    try {
      const { bsize, blocks } = statfsSync(path, { bigint: true });
      return bsize * blocks;
    } catch {
      return undefined;
    }
  },
  // Counts the machine's cores, not the process's: the agent's own CPU set is not a limit for pods.
  logicalCores: cpus().length,
  kernelVersion: release(),
  architecture: arch(),
};
