import { entryName } from '../../../src/kube/validation/entry-name.ts';
import { CreateContainerRequest, type PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import { rpcErrorText, type CriFault } from '../../../src/cri/fault.ts';
import { containerId, type ContainerId, type SandboxId } from '../../../src/kube/ids.ts';
import type { Container, EphemeralContainer, Pod } from '../../../src/kube/pod.ts';
import { blockVolumes } from '../../../src/pod/cri-config/block-volumes.ts';
import { noConfigSources, type ConfigSources, type Lookup } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import { containerHash } from '../../../src/pod/values/container-hash.ts';
import type { ImageVolume } from '../../../src/pod/cri-config/mounts.ts';
import type { VolumeOnHost } from '../../../src/pod/cri-config/volume-host-path.ts';
import { podHostname } from '../../../src/pod/cri-config/hostname.ts';
import { hostNetworkHostsFile, podHostsFile } from '../../../src/pod/cri-config/hosts-file.ts';
import type { RuntimeHandlerFacts } from '../../../src/node/object/node-facts.ts';
import type { UserNamespaceIds } from '../../../src/pod/cri-config/namespaces.ts';
import { legacyLogLink, restartCountFromLogs } from '../../../src/pod/values/pod-log-path.ts';
import { containerDir, etcHostsPath } from '../../../src/pod/values/pod-paths.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { ContainerFailure } from '../protocol.ts';
import { bindSubPaths } from './sub-path-binds.ts';
import { ensureImage, imageUser } from './ensure-image.ts';
import { handlerFeatures } from './handler-features.ts';
import { imageVolumes } from './image-volumes.ts';
import { noteUnfinishedHook, postStart } from './post-start.ts';
import type { HostTools, PodWorkerTools } from '../tools.ts';
import type { Round } from './sync-attempt.ts';
import { runtimeHandler } from './runtime-handler.ts';
import { terminationFileName } from '../../../src/pod/status/termination-message.ts';

/** The sandbox and other facts of the place where a container starts. */
export interface StartPlace {
  readonly runtime: RuntimePodStatus;
  readonly sandboxId: SandboxId;
  readonly sandbox: PodSandboxConfig;
  readonly podIps: readonly string[];
  /** Present for a pod with its own user namespace. */
  readonly userIds: UserNamespaceIds | undefined;
  /** Reports the pod's status so far, while the round continues. */
  readonly progress: (observed: ObservedPod) => void;
}

/**
 * Pulls the image, creates and starts one container. A failure is recorded in the round; the other containers continue.
 */
export async function startContainer(round: Round, container: EphemeralContainer, place: StartPlace): Promise<void> {
  const newest = place.runtime.containers.find(({ name }) => name === container.name);
  const begun = newest !== undefined && isBegun(newest, container, place) ? newest.id : undefined;
  const id = begun ?? (await createContainer(round, container, { ...place, newest }));
  // A pod that is being removed starts nothing more.
  if (id === undefined || !round.goesOn) return;
  const { runtime, reports } = round.tools;
  const { metadata } = round.pod;
  round.touchContainer(id, place.sandboxId);
  const hook = container.lifecycle?.postStart;
  if (hook !== undefined) noteUnfinishedHook(round.tools, metadata.uid, id);
  const started = await runtime.cri.call('StartContainer', { containerId: id }, round.forCreation(metadata.uid));
  if (!started.ok) {
    if (round.leavesDoubt(started.fault) || round.isHeldUp(container.name, started.fault)) return;
    const failure = { reason: 'RunContainerError', message: started.fault.detail };
    // An earlier incarnation may have started the container already. The next look shows that.
    if (begun !== undefined) return round.containerFailed(container.name, { ...failure, until: undefined });
    return failed(round, container, { ...failure, left: id });
  }
  reports.event({ type: 'Normal', reason: 'Started', message: 'Container started', container: container.name });
  linkLegacyLog(round.tools, round.pod, { container, id, logFile: `${place.sandbox.logDirectory}/${container.name}` });
  if (hook === undefined || !round.goesOn) return;
  // The hook may take long, so the running container is reported before it.
  const seen = await round.tools.observe({ sandboxes: [], containers: [[id, place.sandboxId]] });
  if (seen.ok) place.progress(seen.value);
  if (round.goesOn) await postStart(round, { container, id, podIps: place.podIps });
}

/**
 * The container was created from this very spec in this very sandbox and never started. Starting it is not a restart.
 */
const isBegun = (newest: RuntimeContainer, container: Container, { sandboxId }: StartPlace): boolean =>
  newest.state === 'created' && newest.sandboxId === sandboxId && newest.hash === containerHash(container);

async function createContainer(
  round: Round,
  container: EphemeralContainer,
  place: StartPlace & { readonly newest: RuntimeContainer | undefined },
): Promise<ContainerId | undefined> {
  const { pod, tools } = round;
  const images = await imageVolumes(round, container, place.sandbox);
  if (images === undefined || !round.goesOn) return undefined;
  const mountedVolumes = new Map<string, VolumeOnHost | ImageVolume>(images);
  for (const [name, hostPath] of Object.entries(round.volumePaths))
    mountedVolumes.set(name, { hostPath, readOnly: false });
  const image = await ensureImage(round, container, place.sandbox);
  if (image === undefined || !round.goesOn) return undefined;
  const sources = await sourcesFor(round, container);
  if (sources === undefined || !round.goesOn) return undefined;
  const user = await imageUser(round, container);
  if (user === undefined || !round.goesOn) return undefined;
  const handler = await handlerFor(round, container);
  if (handler === undefined || !round.goesOn) return undefined;
  await round.tools.host.ownTurn?.();
  if (!round.goesOn) return undefined;
  const target = targetOf(container, place.runtime);
  if (container.targetContainerName && target === undefined) {
    const message = `unable to find target container ${container.targetContainerName}`;
    failed(round, container, { reason: 'CreateContainerConfigError', message });
    return undefined;
  }
  const logDirectory = `${place.sandbox.logDirectory}/${entryName(container.name)}`;
  const restartCount = Math.max(
    place.newest === undefined
      ? restartCountFromLogs(tools.host.files.list(logDirectory))
      : place.newest.restartCount + 1,
    // Neither the runtime nor the disk may remember a restart count that was already reported.
    round.leastRestarts.get(container.name) ?? 0,
  );
  const terminationFile = terminationFileName(pod.metadata.uid, container.name, restartCount);
  const outcome = containerConfig({
    pod,
    container,
    restartCount,
    imageRef: image.ref,
    imageUser: user,
    handler,
    userIds: place.userIds,
    podIps: place.podIps,
    node: tools.node,
    sources,
    mountedVolumes,
    blockVolumes: blockVolumes(pod, round.volumePaths),
    terminationFile,
    targetContainerId: target,
  });
  if (!outcome.ok) {
    failed(round, container, outcome);
    return undefined;
  }
  const unbound = await bindSubPaths(round, container, outcome.subPaths);
  if (unbound !== undefined) {
    failed(round, container, { reason: 'CreateContainerConfigError', message: unbound });
    return undefined;
  }
  if (!round.goesOn) return undefined;
  try {
    writeFiles(tools, pod, { container, podIps: place.podIps, logDirectory, terminationFile });
  } catch (error) {
    failed(round, container, { reason: 'CreateContainerConfigError', message: String(error) });
    return undefined;
  }
  const request = CreateContainerRequest.fromPartial({
    podSandboxId: place.sandboxId,
    config: outcome.config,
    sandboxConfig: place.sandbox,
  });
  const created = await tools.runtime.cri.call('CreateContainer', request, round.forCreation(pod.metadata.uid));
  if (!created.ok) {
    const { fault } = created;
    if (!round.leavesDoubt(fault) && !round.isHeldUp(container.name, fault))
      failed(round, container, createError(fault));
    return undefined;
  }
  const id = containerId(created.value.containerId);
  round.actuates(id, container.resources ?? {});
  if (!round.goesOn) round.touchContainer(id, place.sandboxId);
  tools.reports.event({ type: 'Normal', reason: 'Created', message: 'Container created', container: container.name });
  return id;
}

/**
 * Returns the runtime's mount features, when a mount needs them. `undefined` when unknown: the reason was recorded in
 * the round.
 */
async function handlerFor(round: Round, container: Container): Promise<RuntimeHandlerFacts | undefined> {
  const asks = (container.volumeMounts ?? []).some(
    ({ recursiveReadOnly = 'Disabled' }) => recursiveReadOnly !== 'Disabled',
  );
  if (!asks) return NOT_ASKED;
  const name = await runtimeHandler(round);
  if (name === undefined) return undefined;
  const features = await handlerFeatures(round, name);
  if (features.ok) return features.value;
  if (!round.leavesDoubt(features.fault) && !round.isHeldUp(container.name, features.fault))
    failed(round, container, { reason: 'CreateContainerConfigError', message: rpcErrorText(features.fault) });
  return undefined;
}

const NOT_ASKED: RuntimeHandlerFacts = { recursiveReadOnlyMounts: false, userNamespaces: false };

/** `undefined` when the pod is being removed: nothing waits for its API objects. */
async function sourcesFor({ pod, tools, cancelled }: Round, container: Container): Promise<ConfigSources | undefined> {
  const asked = tools.objects?.sourcesFor(pod, container) ?? noConfigSources;
  const sources = await Promise.race([asked, cancelled]);
  return sources === 'cancelled' ? undefined : { ...sources, volumeFile: (file) => volumeFile(tools, file) };
}

/** Reads a file that another container has left in a volume. */
function volumeFile(
  { volumes }: Pick<PodWorkerTools, 'volumes'>,
  file: Parameters<ConfigSources['volumeFile']>[0],
): Lookup<string> {
  const text = volumes.readFile(file);
  return text === undefined ? { type: 'missing' } : { type: 'found', value: text };
}

const createError = (fault: CriFault) => ({ reason: 'CreateContainerError', message: fault.detail });

/** Returns the newest instance in any state: the runtime decides whether its namespaces can be joined. */
const targetOf = ({ targetContainerName }: EphemeralContainer, runtime: RuntimePodStatus): ContainerId | undefined =>
  targetContainerName ? runtime.containers.find(({ name }) => name === targetContainerName)?.id : undefined;

function writeFiles(
  { host: { files }, node }: Pick<PodWorkerTools, 'host' | 'node'>,
  pod: Pod,
  place: {
    readonly container: Container;
    readonly podIps: readonly string[];
    readonly logDirectory: string;
    readonly terminationFile: string;
  },
): void {
  const { container, podIps, logDirectory, terminationFile } = place;
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
  { files, node }: { readonly files: HostTools['files']; readonly node: PodWorkerTools['node'] },
  pod: Pod,
  podIps: readonly string[],
): string | undefined {
  const { hostNetwork, hostAliases } = pod.spec;
  if (hostNetwork === true) return hostNetworkHostsFile(files.read('/etc/hosts') ?? '', hostAliases);
  const hostname = podHostname(pod, node.clusterDomain);
  return podIps.length > 0 && hostname.ok ? podHostsFile(hostname.name, podIps, hostAliases) : undefined;
}

function linkLegacyLog(
  { host: { files, legacyLogsDir } }: Pick<PodWorkerTools, 'host'>,
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

function failed(
  round: Round,
  container: Container,
  { reason, message, left }: Pick<ContainerFailure, 'reason' | 'message' | 'left'>,
): void {
  const { name } = container;
  round.tools.reports.event({ type: 'Warning', reason: 'Failed', message: `Error: ${message}`, container: name });
  round.containerFailed(name, { reason, message, until: undefined, ...(left !== undefined && { left }) });
}
