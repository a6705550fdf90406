import { entryName, isEntryName, MAX_ENTRY_NAME_BYTES } from '../../kube/validation/entry-name.ts';
import { excerpt } from '../../kube/text/excerpt.ts';

export type LogDirectory =
  | { readonly ok: true; readonly name: string }
  /** The pod can never start. `message` is the file system's own text, as users of other kubelets know it. */
  | { readonly ok: false; readonly name: string; readonly message: string };

/** Stands for a name that would lead elsewhere. No pod has it: names of pods hold no capital letters and no spaces. */
const NO_DIRECTORY = 'NOT A DIRECTORY';

export interface LoggedPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The pod's directory below the log root: `<namespace>_<name>_<uid>`. Log collectors take it apart again, so a name that is
 * too long is refused rather than shortened.
 */
export function podLogDirectory({ namespace, name, uid }: LoggedPod): LogDirectory {
  const directory = `${namespace}_${name}_${uid}`;
  // Nothing that holds a `/` is ever a directory of this node, so no path may be made of it.
  if (!isEntryName(directory)) {
    const shown = JSON.stringify(excerpt(directory, MAX_ENTRY_NAME_BYTES));
    return { ok: false, name: NO_DIRECTORY, message: `${shown} cannot be the name of a directory` };
  }
  if (Buffer.byteLength(directory) <= MAX_ENTRY_NAME_BYTES) return { ok: true, name: directory };
  return { ok: false, name: directory, message: 'file name too long' };
}

/** A container's log file, relative to the pod's log directory. */
export const containerLogPath = (container: string, restartCount: number): string =>
  `${entryName(container)}/${restartCount}.log`;

/** The link for log collectors of old: `<pod>_<namespace>_<container>-<id>.log`, cut to what a file name may hold. */
export function legacyLogLink(pod: Pick<LoggedPod, 'name' | 'namespace'>, container: string, id: string): string {
  const suffix = '.log';
  const stem = `${pod.name}_${pod.namespace}_${container}-${id}`;
  return entryName(`${stem.slice(0, MAX_ENTRY_NAME_BYTES - suffix.length)}${suffix}`);
}

/**
 * The next restart count, when the runtime knows no container of the name any more, from the file names in the container's
 * log directory: one above the highest `<count>.log`, rotated files included. Without any it is the first start.
 */
export function restartCountFromLogs(fileNames: readonly string[]): number {
  let next = 0;
  for (const fileName of fileNames) {
    const count = /^(\d+)\.log(\..*)?$/.exec(fileName)?.[1];
    if (count !== undefined) next = Math.max(next, Number(count) + 1);
  }
  return next;
}

/** Folder of the links that log collectors of old read; only beside the standard log folder. */
export const legacyLogsDir = (podLogsDir: string): string | undefined =>
  podLogsDir === '/var/log/pods' ? '/var/log/containers' : undefined;
