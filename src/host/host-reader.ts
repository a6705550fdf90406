import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { arch, cpus, release } from 'node:os';
import type { HostReader } from './machine-facts.ts';

/** This machine. Small reads of the kernel's own files: they are made at once, and seldom. */
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
  // Of the machine, not of this process: what it may use itself says nothing of what pods may.
  logicalCores: cpus().length,
  kernelVersion: release(),
  architecture: arch(),
};
