import { rpcErrorText } from '../../../src/cri/fault.ts';
import { CreateContainerRequest, type ContainerConfig } from '../../../src/cri/gen/api.ts';
import { containerId, type ContainerId } from '../../../src/kube/ids.ts';
import type { Container, EphemeralContainer } from '../../../src/kube/pod.ts';
import { entryName } from '../../../src/kube/validation/entry-name.ts';
import type { RuntimeHandlerFacts } from '../../../src/node/object/node-facts.ts';
import { blockVolumes } from '../../../src/pod/cri-config/block-volumes.ts';
import { noConfigSources, type ConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import type { ImageVolume } from '../../../src/pod/cri-config/mounts.ts';
import type { VolumeOnHost } from '../../../src/pod/cri-config/volume-host-path.ts';
import { terminationFileName } from '../../../src/pod/status/termination-message.ts';
import { restartCountFromLogs } from '../../../src/pod/values/pod-log-path.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import { CANCELLED, stopAfter, type Step } from '../decide/step-result.ts';
import { writeContainerFiles } from './container-files.ts';
import { bindSubPaths } from './mount-volumes.ts';
import { failContainer } from './report-failure.ts';
import { imageUser, type ContainerImages } from './resolve-images.ts';
import { handlerFeatures, runtimeHandler } from './runtime-class.ts';
import { creationOptions, type StartPlace } from './start-place.ts';
import type { SyncAttempt } from './sync-attempt.ts';

export interface CreationPlace {
  readonly place: StartPlace;
  /** The container's newest instance in the runtime. */
  readonly newest: RuntimeContainer | undefined;
  readonly images: ContainerImages;
}

/** Creates a container whose images are on the node. */
export async function createContainer(
  attempt: SyncAttempt,
  container: EphemeralContainer,
  { place, newest, images }: CreationPlace,
): Promise<Step<ContainerId>> {
  const { pod, tools } = attempt;
  const sources = attempt.unlessCancelled(await configSources(attempt, container));
  if (!sources.ok) return sources;
  const user = attempt.unlessCancelled(await imageUser(attempt, container));
  if (!user.ok) return user;
  const handler = attempt.unlessCancelled(await mountFeatures(attempt, container));
  if (!handler.ok) return handler;
  await tools.host.ownTurn?.();
  if (attempt.isCancelled) return CANCELLED;
  const target = targetContainer(attempt, container, place);
  if (!target.ok) return target;
  const next = nextInstance(attempt, container, { place, newest });
  // Environment, devices, mounts, CPU and memory.
  const made = containerConfig({
    pod,
    container,
    restartCount: next.restartCount,
    imageRef: images.ref,
    imageUser: user.value,
    handler: handler.value,
    userIds: place.userIds,
    podIps: place.podIps,
    hostIps: tools.hostIps(),
    node: tools.node,
    sources: sources.value,
    mountedVolumes: mountedVolumes(images, place),
    blockVolumes: blockVolumes(pod, place.volumePaths),
    terminationFile: next.terminationFile,
    targetContainerId: target.value,
  });
  if (!made.ok) return failContainer(tools.reports, container.name, made);
  const bound = attempt.unlessCancelled(await bindSubPaths(attempt, container, made.subPaths));
  if (!bound.ok) return bound;
  const written = writeContainerFiles(attempt, container, { ...next, podIps: place.podIps });
  if (!written.ok) return written;
  return requestCreation(attempt, container, { config: made.config, place });
}

/** Returns the API objects and services that the container's environment refers to. */
async function configSources(
  { pod, tools, cancelled }: SyncAttempt,
  container: Container,
): Promise<Step<ConfigSources>> {
  const asked = tools.objects?.sourcesFor(pod, container) ?? noConfigSources;
  // Nothing of a pod that is being removed waits for its API objects.
  const sources = await Promise.race([asked, cancelled]);
  if (sources === 'cancelled') return CANCELLED;
  return {
    ok: true,
    value: {
      ...sources,
      // Another container has left the file in a volume.
      volumeFile(file) {
        const text = tools.volumes.readFile(file);
        return text === undefined ? { type: 'missing' } : { type: 'found', value: text };
      },
    },
  };
}

/** Returns the runtime's mount features, when a mount needs them. */
async function mountFeatures(attempt: SyncAttempt, container: Container): Promise<Step<RuntimeHandlerFacts>> {
  const asks = (container.volumeMounts ?? []).some(
    ({ recursiveReadOnly = 'Disabled' }) => recursiveReadOnly !== 'Disabled',
  );
  if (!asks) return NOT_ASKED;
  const { runtime, reports } = attempt.tools;
  const handler = await runtimeHandler(attempt);
  if (!handler.ok) return handler;
  const features = await handlerFeatures(runtime, handler.value);
  if (features.ok) return features;
  const message = rpcErrorText(features.fault);
  return (
    stopAfter(features.fault) ??
    failContainer(reports, container.name, { reason: 'CreateContainerConfigError', message })
  );
}

const NOT_ASKED: Step<RuntimeHandlerFacts> = {
  ok: true,
  value: { recursiveReadOnlyMounts: false, userNamespaces: false },
};

/**
 * Returns the container whose processes a debug container joins: the newest instance in any state. The runtime decides
 * whether its namespaces can be joined.
 */
function targetContainer(
  { tools }: SyncAttempt,
  { name, targetContainerName }: EphemeralContainer,
  { runtime }: StartPlace,
): Step<ContainerId | undefined> {
  if (!targetContainerName) return NO_TARGET;
  const target = runtime.containers.find((each) => each.name === targetContainerName);
  if (target !== undefined) return { ok: true, value: target.id };
  const message = `unable to find target container ${targetContainerName}`;
  return failContainer(tools.reports, name, { reason: 'CreateContainerConfigError', message });
}

const NO_TARGET: Step<undefined> = { ok: true, value: undefined };

/** Returns the restart count of the container's next instance, and the paths that follow from it. */
function nextInstance(
  { pod, tools, decided }: SyncAttempt,
  { name }: Container,
  { place, newest }: Pick<CreationPlace, 'place' | 'newest'>,
) {
  const logDirectory = `${place.sandbox.logDirectory}/${entryName(name)}`;
  const restartCount = Math.max(
    newest === undefined ? restartCountFromLogs(tools.host.files.list(logDirectory)) : newest.restartCount + 1,
    // Neither the runtime nor the disk may remember a restart count that was already reported.
    decided.restarts.get(name) ?? 0,
  );
  return { restartCount, logDirectory, terminationFile: terminationFileName(pod.metadata.uid, name, restartCount) };
}

function mountedVolumes(
  { volumes }: ContainerImages,
  { volumePaths }: StartPlace,
): ReadonlyMap<string, VolumeOnHost | ImageVolume> {
  const mounted = new Map<string, VolumeOnHost | ImageVolume>(volumes);
  for (const [name, hostPath] of Object.entries(volumePaths)) mounted.set(name, { hostPath, readOnly: false });
  return mounted;
}

/** Requests the container from the runtime. Its resources are recorded before it starts. */
async function requestCreation(
  { pod, tools, actuated }: SyncAttempt,
  { name, resources = {} }: Container,
  { config, place }: { readonly config: ContainerConfig; readonly place: StartPlace },
): Promise<Step<ContainerId>> {
  const { sandboxId, sandbox, observedAt } = place;
  const request = CreateContainerRequest.fromPartial({
    podSandboxId: sandboxId,
    config,
    sandboxConfig: sandbox,
  });
  const options = creationOptions(pod.metadata.uid, observedAt);
  const created = await tools.runtime.cri.call('CreateContainer', request, options);
  if (!created.ok) {
    const { fault } = created;
    const failure = { reason: 'CreateContainerError', message: fault.detail };
    return stopAfter(fault) ?? failContainer(tools.reports, name, failure);
  }
  const id = containerId(created.value.containerId);
  actuated.save([id, resources]);
  tools.reports.event({ type: 'Normal', reason: 'Created', message: 'Container created', container: name });
  return { ok: true, value: id };
}
