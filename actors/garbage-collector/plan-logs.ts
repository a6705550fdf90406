import { podLogDirectory } from '../../src/pod/values/pod-log-path.ts';

/** The labels of a container that determine the path of its log. */
export interface LoggedContainer {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly name: string;
  readonly restartCount: number;
}

/** Parses `<namespace>_<name>_<uid>`: no namespace, name or UID contains a `_`. */
export function podUidOfLogDirectory(name: string): string | undefined {
  const parts = name.split('_');
  const [namespace, pod, uid] = parts;
  if (parts.length !== 3 || !namespace || !pod || !uid) return undefined;
  return uid;
}

/** Parses `<pod>_<namespace>_<container>-<id>.log`; `undefined` for a link that no kubelet has made. */
export function containerIdOfLink(name: string): string | undefined {
  return /^[^_]+_[^_]+_[^_]+-([0-9a-f]+)\.log$/.exec(name)?.[1];
}

/**
 * Log directories of restarted containers, relative to the pods' log directory: they may hold logs of removed
 * instances.
 */
export function restartedLogDirectories(
  containers: readonly LoggedContainer[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const kept = new Map<string, Set<number>>();
  for (const { podUid, podName, podNamespace, name, restartCount } of containers) {
    const directory = podLogDirectory({ namespace: podNamespace, name: podName, uid: podUid });
    if (!directory.ok || name === '') continue;
    const path = `${directory.name}/${name}`;
    const counts = kept.get(path);
    if (counts === undefined) kept.set(path, new Set([restartCount]));
    else counts.add(restartCount);
  }
  for (const [path, counts] of kept) if (Math.max(...counts) === 0) kept.delete(path);
  return kept;
}

/**
 * Logs, also rotated, of instances that the runtime no longer lists. Excludes the log with the highest restart count
 * and any log above it: a new instance may be starting, and the next restart is counted from that log.
 */
export function deadLogs(files: readonly string[], kept: ReadonlySet<number>): readonly string[] {
  const newest = Math.max(...kept);
  return files.filter((file) => {
    const count = /^(\d+)\.log(\..*)?$/.exec(file)?.[1];
    return count !== undefined && Number(count) < newest && !kept.has(Number(count));
  });
}
