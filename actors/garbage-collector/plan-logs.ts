import { podLogDirectory } from '../../src/pod/values/pod-log-path.ts';

/** Of a container in the runtime, where its log is. */
export interface LoggedContainer {
  readonly podUid: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly name: string;
  readonly restartCount: number;
}

/** `<namespace>_<name>_<uid>`: neither a namespace nor a name nor a UID has a `_` in it. */
export function podUidOfLogDirectory(name: string): string | undefined {
  const parts = name.split('_');
  const [namespace, pod, uid] = parts;
  if (parts.length !== 3 || !namespace || !pod || !uid) return undefined;
  return uid;
}

/** `<pod>_<namespace>_<container>-<id>.log`: undefined for a link that no kubelet has made. */
export function containerIdOfLink(name: string): string | undefined {
  return /^[^_]+_[^_]+_[^_]+-([0-9a-f]+)\.log$/.exec(name)?.[1];
}

/** Directories of logs, below the pod's, that may hold logs of instances that are gone: the container has been restarted. */
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
 * Logs of instances that the runtime has no record of any more, rotated ones too. Never the one with the highest number, nor any
 * above what the runtime knows: that is one being made right now, and the next restart is counted from there.
 */
export function deadLogs(files: readonly string[], kept: ReadonlySet<number>): readonly string[] {
  const newest = Math.max(...kept);
  return files.filter((file) => {
    const count = /^(\d+)\.log(\..*)?$/.exec(file)?.[1];
    return count !== undefined && Number(count) < newest && !kept.has(Number(count));
  });
}
