import type { WallMs } from '../../src/actor/clock.ts';

/** Work in the log's directory before the log itself is rotated. */
export interface RotationPlan {
  readonly remove: readonly string[];
  /** Logs rotated earlier; no process writes to them any more. */
  readonly compress: readonly string[];
}

/** Files of one container that stay uncompressed: the current log, and the file that it is being rotated to. */
const NOT_COMPRESSED = 2;

/**
 * Plans the clean-up of one log's rotated files, as the kubelet does (container log rotation). Removed are left-overs
 * of an interrupted compression, and originals whose compression has finished. The newest of the remaining files are
 * kept, so that with the log and its next rotated file there are at most `maxFiles`. `directory` lists all names beside
 * the log.
 */
export function planRotation(directory: readonly string[], log: string, maxFiles: number): RotationPlan {
  const names = new Set(directory);
  const ours = directory.filter((name) => name.startsWith(`${log}.`));
  const isLeftOver = (name: string): boolean => name.endsWith('.tmp') || names.has(`${name}.gz`);
  const rotated = ours.filter((name) => !isLeftOver(name) && isRotated(name, log)).sort();
  const kept = new Set(rotated.slice(Math.max(0, rotated.length - Math.max(0, maxFiles - NOT_COMPRESSED))));
  return {
    remove: [...ours.filter(isLeftOver), ...rotated.filter((name) => !kept.has(name))],
    compress: [...kept].filter((name) => !name.endsWith('.gz')),
  };
}

/**
 * `true` if `rotatedName` gives such a name, compressed or not. Files with other names belong to someone else and stay.
 */
const isRotated = (name: string, log: string): boolean => /^\.\d{8}-\d{6}(\.gz)?$/.test(name.slice(log.length));

const two = (value: number): string => String(value).padStart(2, '0');

/** `<log>.<YYYYMMDD-HHMMSS>` in the node's local time, so that the names sort among those of other kubelets. */
export function rotatedName(log: string, now: WallMs): string {
  const at = new Date(now);
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  return `${log}.${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}
