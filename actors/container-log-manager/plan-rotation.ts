/** What the log's directory is to lose before the log itself is rotated. */
export interface RotationPlan {
  readonly remove: readonly string[];
  /** Rotated earlier; nobody can be writing to them any more. */
  readonly compress: readonly string[];
}

/** How many of a container's log files are not rotated ones that are kept compressed: the log, and the one that is rotated now. */
const NOT_COMPRESSED = 2;

/**
 * What becomes of the rotated files of one log (kubelet: container log rotation). Left-overs of a compression that was cut off go,
 * and originals of one that was not; of the rest the newest are kept, so that with the log and the file it is about to become
 * there are at most `maxFiles`. `directory`: all names there are beside the log.
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

/** Whether it is a name that `rotatedName` gives, compressed or not: what somebody else has put there is theirs. */
const isRotated = (name: string, log: string): boolean => /^\.\d{8}-\d{6}(\.gz)?$/.test(name.slice(log.length));

const two = (value: number): string => String(value).padStart(2, '0');

/** `<log>.<YYYYMMDD-HHMMSS>`, in the node's own time: so the names of other kubelets sort among them. */
export function rotatedName(log: string, now: number): string {
  const at = new Date(now);
  const day = `${at.getFullYear()}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  return `${log}.${day}-${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
}
