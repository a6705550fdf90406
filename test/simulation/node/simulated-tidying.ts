import { basename, dirname } from 'node:path/posix';
import type { ImageManagerDeps } from '../../../actors/image-manager/actor.ts';
import { RecordFiles } from '../../../src/images/record-files.ts';
import type { ContainerLogManagerDeps } from '../../../actors/container-log-manager/actor.ts';
import type { OomWatcherDeps } from '../../../actors/oom-watcher/actor.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { GarbageCollectorDeps } from '../../../actors/garbage-collector/actor.ts';
import { criGatewayClient } from '../../../actors/cri-gateway/client.ts';
import type { Caller } from '../../../src/actor/actor.ts';
import { volumeManagerClient } from '../../../actors/volume-manager/client.ts';
import { criClient } from '../../../src/cri/client.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';

/** The garbage collector's dependencies in a simulation. The image disk is never full, since nothing is pulled. */
export function simulatedTidying(
  caller: Caller,
  {
    files,
    node,
    requestTimeoutMs,
  }: { readonly files: PodFiles; readonly node: NodeFacts; readonly requestTimeoutMs: number },
): GarbageCollectorDeps {
  const cri = criClient(criGatewayClient(caller, requestTimeoutMs));
  const { podLogsDir, rootDir } = node;
  const podsDir = `${rootDir}/pods`;
  const metrics = { imageCollected() {}, orphansCleaned() {} };
  return {
    containers: {
      cri,
      files,
      podLogsDir,
      legacyLogsDir: undefined,
      policy: { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1 },
    },
    images: {
      cri,
      metrics,
      nodeEvent: () => {},
      filesystemOf: () => Promise.resolve({ capacityBytes: 100, availableBytes: 50 }),
      policy: { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 120_000, maxAgeMs: 0 },
    },
    directories: {
      cri,
      metrics,
      files,
      podsDir,
      volumes: volumeManagerClient(caller),
      removePodDirectory: (uid) => {
        files.removeEntry(podsDir, uid);
        return Promise.resolve('removed');
      },
      removeCgroups: () => undefined,
    },
  };
}

/** The image manager's dependencies in a simulation: no credential provider, and records on a disk that may fail. */
export function simulatedImages(
  caller: Caller,
  { files, node }: { readonly files: PodFiles; readonly node: NodeFacts },
): ImageManagerDeps {
  const rename = (from: string, to: string): void => {
    files.writeFile(to, files.read(from) ?? '', 0o600);
    files.removeEntry(dirname(from), basename(from));
  };
  return {
    cri: criClient(criGatewayClient(caller, 120_000)),
    records: new RecordFiles({ ...methodsOf(files), rename }, node.rootDir),
    verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
    rate: { perSecond: 0, burst: 1 },
    providers: { providers: [], run: () => Promise.reject(new Error('there is no provider')) },
    fileLogins: () => [],
  };
}

/** Delegates to an instance: a copy of an instance would lack the methods of its class. */
const methodsOf = (
  files: PodFiles,
): Pick<PodFiles, 'list' | 'makeDirectory' | 'read' | 'removeEntry' | 'writeFile'> => ({
  list: (directory) => files.list(directory),
  makeDirectory: (path, mode) => files.makeDirectory(path, mode),
  read: (path) => files.read(path),
  removeEntry: (directory, name) => files.removeEntry(directory, name),
  writeFile: (path, text, mode) => files.writeFile(path, text, mode),
});

/** Logs of the simulation, rotated in memory from a hundred bytes on, without compression. */
export function simulatedLogs(
  caller: Caller,
  { files, node }: { readonly files: MemoryFiles; readonly node: NodeFacts },
): ContainerLogManagerDeps {
  const move = (directory: string, from: string, to: string): Promise<boolean> => {
    const text = files.read(`${directory}/${from}`);
    if (text === undefined) return Promise.reject(Object.assign(new Error(`there is no ${from}`), { code: 'ENOENT' }));
    if (files.read(`${directory}/${to}`) !== undefined) return Promise.resolve(false);
    files.writeFile(`${directory}/${to}`, text);
    files.removeEntry(directory, from);
    return Promise.resolve(true);
  };
  return {
    cri: criGatewayClient(caller, 30_000),
    podLogsDir: node.podLogsDir,
    maxSizeBytes: 100,
    maxFiles: 3,
    atOnce: 1,
    checkEveryMs: 10_000,
    disk: {
      sizeOf: (path) => files.read(path)?.length,
      list: (directory) => Promise.resolve(files.list(directory)),
      remove: (directory, name) => Promise.resolve(files.removeEntry(directory, name)),
      rename: move,
      restore: move,
      compress: (directory, name) => move(directory, name, `${name}.gz`).then(() => undefined),
    },
  };
}

export const enoughMemory: OomWatcherDeps = {
  openKernelLog: () => undefined,
  readCounts: () => undefined,
  podsCgroup: '/kubepods',
  nodeEvent: () => {},
};
