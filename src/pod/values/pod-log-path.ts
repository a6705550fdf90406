import { entryName, isEntryName, MAX_ENTRY_NAME_BYTES } from '../../kube/validation/entry-name.ts';
import { excerpt } from '../../kube/text/excerpt.ts';

export type LogDirectory =
  | { readonly ok: true; readonly name: string }
  /** The pod can never start. `message` is the file system's own text, which users of other kubelets know. */
  | { readonly ok: false; readonly name: string; readonly message: string };

/**
 * Replaces a name that would lead to another directory. Pod names hold no capital letters and no spaces, so no pod has
 * it.
 */
const NO_DIRECTORY = 'NOT A DIRECTORY';

export interface LoggedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Returns the pod's directory below the log root: `<namespace>_<name>_<uid>`. Log collectors parse this name, so a name
 * that is too long is refused rather than shortened.
 */
export function podLogDirectory({ namespace, name, uid }: LoggedPod): LogDirectory {
  const directory = `${namespace}_${name}_${uid}`;
  // A name with a `/` is never a directory of this node, so no path may be made of it.
  if (!isEntryName(directory)) {
    const shown = JSON.stringify(excerpt(directory, MAX_ENTRY_NAME_BYTES));
    return { ok: false, name: NO_DIRECTORY, message: `${shown} cannot be the name of a directory` };
  }
  if (Buffer.byteLength(directory) <= MAX_ENTRY_NAME_BYTES) return { ok: true, name: directory };
  return { ok: false, name: directory, message: 'file name too long' };
}

/** Returns a container's log file, relative to the pod's log directory. */
export const containerLogPath = (container: string, restartCount: number): string =>
  `${entryName(container)}/${restartCount}.log`;

/**
 * Returns the link for older log collectors: `<pod>_<namespace>_<container>-<id>.log`, cut to the limit of a file name.
 */
export function legacyLogLink(pod: Pick<LoggedPod, 'name' | 'namespace'>, container: string, id: string): string {
  const suffix = '.log';
  const stem = `${pod.name}_${pod.namespace}_${container}-${id}`;
  return entryName(`${stem.slice(0, MAX_ENTRY_NAME_BYTES - suffix.length)}${suffix}`);
}

/**
 * Returns the next restart count when the runtime has lost the container's records. It is one above the highest
 * `<count>.log` in the container's log directory, rotated files included. Without such a file it is that of a first
 * start.
 */
export function restartCountFromLogs(fileNames: readonly string[]): number {
  let next = 0;
  for (const fileName of fileNames) {
    const count = /^(\d+)\.log(\..*)?$/.exec(fileName)?.[1];
    if (count !== undefined) next = Math.max(next, Number(count) + 1);
  }
  return next;
}

/** Returns the folder of the links for older log collectors. It only exists beside the standard log folder. */
export const legacyLogsDir = (podLogsDir: string): string | undefined =>
  podLogsDir === '/var/log/pods' ? '/var/log/containers' : undefined;
