import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { removeCgroup } from './remove-cgroup.ts';

/**
 * What a pod worker keeps on the host's disk: a few small entries a pod, made in one go. They are written synchronously
 * on purpose: each takes some ten microseconds, a trip to a thread pool and back five times that.
 */
export interface PodFiles {
  makeDirectory(path: string, mode: number): void;
  writeFile(path: string, text: string, mode: number): void;
  /** Names in a directory; none when it is not there. */
  list(directory: string): readonly string[];
  /** The text of a file; undefined when it cannot be read. */
  read(path: string): string | undefined;
  /** A link to a file, if that is there. Replaces an earlier one. */
  link(target: string, path: string): void;
  /** With everything below. Nothing happens when it is not there. */
  remove(path: string): void;
  /** A cgroup, by its path in every hierarchy. Nothing happens when it is not there; throws while something runs in it. */
  removeCgroup(path: string): void;
}

export const hostPodFiles: PodFiles = {
  makeDirectory(path, mode) {
    mkdirSync(path, { recursive: true, mode });
  },
  writeFile(path, text, mode) {
    writeFileSync(path, text, { mode });
  },
  list(directory) {
    try {
      return readdirSync(directory);
    } catch {
      return [];
    }
  },
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  link(target, path) {
    if (!existsSync(target)) return;
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    rmSync(path, { force: true });
    symlinkSync(target, path);
  },
  remove(path) {
    // A path that came out of something empty must never reach this far.
    if (!isAbsolute(path) || path.length < 4) throw new Error(`refusing to remove ${JSON.stringify(path)}`);
    rmSync(path, { recursive: true, force: true });
  },
  removeCgroup,
};
