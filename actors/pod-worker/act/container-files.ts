import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { podHostname } from '../../../src/pod/cri-config/hostname.ts';
import { hostNetworkHostsFile, podHostsFile } from '../../../src/pod/cri-config/hosts-file.ts';
import { legacyLogLink } from '../../../src/pod/values/pod-log-path.ts';
import { containerDir, etcHostsPath } from '../../../src/pod/values/pod-paths.ts';
import type { Step } from '../decide/step-result.ts';
import type { HostTools, PodWorkerTools } from '../tools.ts';
import { failContainer } from './report-failure.ts';
import type { SyncAttempt } from './sync-attempt.ts';

export interface ContainerFiles {
  readonly podIps: readonly string[];
  readonly logDirectory: string;
  readonly terminationFile: string;
}

/** Writes the files that the container's mounts and logs need. */
export function writeContainerFiles(
  { pod, tools }: SyncAttempt,
  container: Container,
  files: ContainerFiles,
): Step<undefined> {
  try {
    writeFiles(tools, pod, { ...files, container });
  } catch (error) {
    const failure = { reason: 'CreateContainerConfigError', message: String(error) };
    return failContainer(tools.reports, container.name, failure);
  }
  return WRITTEN;
}

const WRITTEN: Step<undefined> = { ok: true, value: undefined };

function writeFiles(
  { host: { files }, node }: Pick<PodWorkerTools, 'host' | 'node'>,
  pod: Pod,
  { container, podIps, logDirectory, terminationFile }: ContainerFiles & { readonly container: Container },
): void {
  const { uid } = pod.metadata;
  files.makeDirectory(logDirectory, 0o755);
  const directory = containerDir(node.rootDir, uid, container.name);
  files.makeDirectory(directory, 0o750);
  if (container.terminationMessagePath !== undefined && container.terminationMessagePath !== '') {
    files.writeFile(`${directory}/${terminationFile}`, '', 0o666);
  }
  const hosts = hostsFile({ files, node }, pod, podIps);
  if (hosts !== undefined) files.writeFile(etcHostsPath(node.rootDir, uid), hosts, 0o644);
}

function hostsFile(
  { files, node }: Pick<HostTools, 'files'> & Pick<PodWorkerTools, 'node'>,
  pod: Pod,
  podIps: readonly string[],
): string | undefined {
  const { hostNetwork, hostAliases } = pod.spec;
  if (hostNetwork === true) return hostNetworkHostsFile(files.readShared('/etc/hosts') ?? '', hostAliases);
  const hostname = podHostname(pod, node.clusterDomain);
  return podIps.length > 0 && hostname.ok ? podHostsFile(hostname.name, podIps, hostAliases) : undefined;
}

/** Links the newest log file of a container from the folder that old log collectors read. */
export function linkLegacyLog(
  { files, legacyLogsDir }: Pick<HostTools, 'files' | 'legacyLogsDir'>,
  pod: Pod,
  { container, id, logFile }: { readonly container: Container; readonly id: ContainerId; readonly logFile: string },
): void {
  if (legacyLogsDir === undefined) return;
  const newest = files
    .list(logFile)
    .filter((name) => /^\d+\.log$/.test(name))
    .sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10))[0];
  if (newest !== undefined)
    files.link(`${logFile}/${newest}`, `${legacyLogsDir}/${legacyLogLink(pod.metadata, container.name, id)}`);
}
