import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { PodSandboxConfig, RunPodSandboxRequest } from '../../../src/cri/gen/api.ts';
import { rpcErrorText } from '../../../src/cri/fault.ts';
import { sandboxId, type ContainerId, type SandboxId } from '../../../src/kube/ids.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import { podLogDirectory } from '../../../src/pod/values/pod-log-path.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import type { UserNamespaceIds } from '../../../src/pod/cri-config/namespaces.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import { ensureCgroup } from './ensure-cgroup.ts';
import { hasVolumes, mountVolumes } from './mount-volumes.ts';
import { postStart } from './post-start.ts';
import { removeDead } from './remove-pod.ts';
import { handlerFeatures } from './handler-features.ts';
import { resizePod } from './resize-pod.ts';
import type { Round } from './sync-attempt.ts';
import { failedSandbox, runtimeHandler } from './runtime-handler.ts';
import { startContainer, type StartPlace } from './start-container.ts';
import type { PodEvent } from '../worker-state.ts';
import { stopContainer, stopContainers, stopEverything } from './stop-pod.ts';
import { hasOwnUsers, userNamespaceIds } from '../../../src/pod/sync/user-namespace.ts';
import { messageOf } from '../../../src/kube/text/message-of.ts';

/** A sandbox with a network may take as long as two ordinary calls. */
const SANDBOX_TIMEOUTS = 2;

interface Acting {
  readonly actions: PodActions;
  readonly runtime: RuntimePodStatus;
  readonly unfinishedHook?: ContainerId | undefined;
}

/**
 * Carries out the decided actions on the runtime in the kubelet's order: stops, sandbox, ephemeral, init and regular
 * containers.
 */
export async function act(
  round: Round,
  { actions, runtime, unfinishedHook }: Acting,
  progress: (observed: ObservedPod) => void,
): Promise<void> {
  const { pod } = round;
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec;
  const startsSomething =
    actions.createSandbox ||
    actions.initContainersToStart.length +
      actions.containersToStart.length +
      actions.ephemeralContainersToStart.length >
      0;
  if (startsSomething && !ensureCgroup(round)) return;
  // Volumes come before any stop: a pod without its volumes could not start again.
  if (startsSomething && hasVolumes(pod) && !(await mountVolumes(round))) return;
  await kill(round, actions, runtime);
  await reset(round, actions, runtime);
  if (unfinishedHook !== undefined && round.goesOn) await resumeHook(round, runtime, unfinishedHook);
  await resizePod(round, { actions, runtime });
  if (!startsSomething || !round.goesOn) return;
  const place = await placeFor(round, { actions, runtime }, progress);
  if (place === undefined) return;
  for (const index of actions.ephemeralContainersToStart) await start(round, ephemeralContainers[index], place);
  for (const index of actions.initContainersToStart) {
    const container = initContainers[index];
    await start(round, container, place);
    // The next init container needs this one to have ended, unless this one is a sidecar, which only has to have
    // started.
    if (container !== undefined && container.restartPolicy !== 'Always' && round.hasFailed(container.name)) return;
  }
  for (const index of actions.containersToStart) await start(round, containers[index], place);
}

async function start(
  round: Round,
  container: Parameters<typeof startContainer>[1] | undefined,
  place: StartPlace,
): Promise<void> {
  if (container === undefined || !round.goesOn) return;
  round.tries(container.name);
  await startContainer(round, container, place);
}

async function kill(round: Round, actions: PodActions, runtime: RuntimePodStatus): Promise<void> {
  const { pod, tools } = round;
  const kills = actions.killPod
    ? await stopEverything(tools, { pod, runtime })
    : await stopContainers(tools, { pod, runtime, wanted: actions.containersToKill });
  for (const id of kills.touched.sandboxes) round.touchSandbox(id);
  for (const [id, sandbox] of kills.touched.containers) round.touchContainer(id, sandbox);
  if (kills.failed !== undefined) return round.podFailed(kills.failed);
  if (!actions.killPod || !actions.createSandbox) return;
  // In a new sandbox all init containers run again: none may look as if it had ended.
  const names = new Set((pod.spec.initContainers ?? []).map(({ name }) => name));
  for (const { id, name, sandboxId: sandbox } of runtime.containers) {
    if (!names.has(name)) continue;
    await tools.runtime.cri.call('RemoveContainer', { containerId: id }, { podUid: pod.metadata.uid });
    round.touchContainer(id, sandbox);
  }
}

/**
 * Every container of the pod starts again in the same sandbox: each is stopped at once and removed; its log is kept.
 */
async function reset(round: Round, { containersToReset }: PodActions, runtime: RuntimePodStatus): Promise<void> {
  const { pod, tools } = round;
  for (const { id, stopFirst } of containersToReset) {
    const container = runtime.containers.find((each) => each.id === id);
    if (container === undefined || !round.goesOn) continue;
    round.touchContainer(id, container.sandboxId);
    const failed = stopFirst
      ? await stopContainer(tools, { pod, runtime, graceSeconds: 0 }, { container, why: { message: 'killing' } })
      : undefined;
    if (failed !== undefined) return round.podFailed(failed);
    const removed = await removeDead(tools, { podUid: pod.metadata.uid, containers: [id], sandboxes: [] });
    if (removed !== undefined) return round.podFailed(removed);
  }
}

/** A restart of the agent interrupted the hook. It runs again, since it may not have completed. */
async function resumeHook(round: Round, runtime: RuntimePodStatus, id: ContainerId): Promise<void> {
  const { spec } = round.pod;
  const record = runtime.containers.find((each) => each.id === id);
  const container = [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === record?.name);
  if (container === undefined) return;
  const podIps = spec.hostNetwork === true ? round.tools.node.hostIPs : runtime.ips;
  round.tries(container.name);
  round.touchContainer(id, record?.sandboxId);
  await postStart(round, { container, id, podIps });
}

async function placeFor(
  round: Round,
  { actions, runtime }: { readonly actions: PodActions; readonly runtime: RuntimePodStatus },
  progress: (observed: ObservedPod) => void,
): Promise<StartPlace | undefined> {
  const { pod, tools } = round;
  const { node } = tools;
  const userIds = hasOwnUsers(pod) ? await idsOf(round) : undefined;
  if (userIds === 'unknown' || !round.goesOn) return undefined;
  const made = sandboxConfig({ pod, attempt: actions.attempt, node, userIds });
  if (!made.ok) {
    failedSandbox(round, made.message);
    return undefined;
  }
  for (const { reason, message } of made.warnings) tools.reports.event({ type: 'Warning', reason, message });
  const hostNetwork = pod.spec.hostNetwork === true;
  if (!actions.createSandbox) {
    const { sandboxId: id } = actions;
    if (id === undefined) return undefined;
    const podIps = hostNetwork ? node.hostIPs : runtime.ips;
    return { runtime, sandboxId: id, sandbox: made.config, podIps, userIds, progress };
  }
  if (actions.sandboxId !== undefined) tools.reports.event(SANDBOX_CHANGED);
  const id = await runSandbox(round, made.config);
  if (id !== undefined) round.makesSandbox();
  if (id === undefined || !round.goesOn) return undefined;
  const seen = await tools.observe({ sandboxes: [id], containers: [] });
  if (!seen.ok) {
    round.touchSandbox(id);
    if (!round.leavesDoubt(seen.fault))
      round.podFailed(`cannot get the status of the new sandbox: ${seen.fault.detail}`);
    return undefined;
  }
  progress(seen.value);
  round.lookedAt = seen.value.observedAt;
  const { status } = seen.value;
  return {
    runtime: status,
    sandboxId: id,
    sandbox: made.config,
    podIps: hostNetwork ? node.hostIPs : status.ips,
    userIds,
    progress,
  };
}

const SANDBOX_CHANGED: PodEvent = {
  type: 'Normal',
  reason: 'SandboxChanged',
  message: 'Pod sandbox changed, it will be killed and re-created.',
};

/** Returns the ID block of a pod with a user namespace. `unknown`: the reason was recorded in the round. */
async function idsOf(round: Round): Promise<UserNamespaceIds | 'unknown'> {
  const { host, node } = round.tools;
  const handler = await runtimeHandler(round);
  if (handler === undefined) return 'unknown';
  const features = await handlerFeatures(round, handler);
  if (!features.ok) {
    if (!round.leavesDoubt(features.fault)) failedSandbox(round, rpcErrorText(features.fault));
    return 'unknown';
  }
  if (!features.value.userNamespaces) {
    failedSandbox(round, `RuntimeClass handler "${handler}" does not support user namespaces`);
    return 'unknown';
  }
  try {
    const ids = userNamespaceIds(host.files, { rootDir: node.rootDir, uid: round.pod.metadata.uid });
    if (ids !== undefined) return ids;
    failedSandbox(round, 'could not find an empty slot to allocate a user namespace');
  } catch (error) {
    failedSandbox(round, messageOf(error));
  }
  return 'unknown';
}

async function runSandbox(round: Round, config: PodSandboxConfig): Promise<SandboxId | undefined> {
  const { pod, tools } = round;
  const { uid } = pod.metadata;
  const logs = podLogDirectory(pod.metadata);
  await tools.host.ownTurn?.();
  if (!round.goesOn) return undefined;
  try {
    if (!logs.ok) throw new Error(`mkdir ${config.logDirectory}: ${logs.message}`);
    if (!isEntryName(uid)) throw new Error(`the UID ${JSON.stringify(uid)} cannot be the name of a directory`);
    tools.host.files.makeDirectory(config.logDirectory, 0o755);
    // Creating a directory is the most expensive kernel work of a pod start, so volume directories are created only for
    // pods with volumes.
    for (const name of (pod.spec.volumes ?? []).length > 0 ? ['volumes', 'plugins'] : []) {
      tools.host.files.makeDirectory(`${podDir(tools.node.rootDir, uid)}/${name}`, 0o750);
    }
  } catch (error) {
    failedSandbox(round, messageOf(error));
    return undefined;
  }
  const handler = await runtimeHandler(round);
  if (handler === undefined || !round.goesOn) return undefined;
  const request = RunPodSandboxRequest.fromPartial({ config, runtimeHandler: handler });
  const options = { ...round.forCreation(uid), timeoutMs: tools.runtime.requestTimeoutMs * SANDBOX_TIMEOUTS };
  const began = tools.clock.monotonic();
  const outcome = await Promise.race([tools.runtime.cri.call('RunPodSandbox', request, options), round.cancelled]);
  const seconds = (tools.clock.monotonic() - began) / 1000;
  tools.reports.metrics?.sandbox(pod, handler, { seconds, made: outcome !== 'cancelled' && outcome.ok });
  if (outcome === 'cancelled') {
    // The sandbox may be created all the same, so the runtime is inspected again.
    round.doubts();
    return undefined;
  }
  if (!outcome.ok) {
    if (!round.leavesDoubt(outcome.fault)) failedSandbox(round, rpcErrorText(outcome.fault));
    return undefined;
  }
  const id = sandboxId(outcome.value.podSandboxId);
  if (!round.goesOn) round.touchSandbox(id);
  return id;
}
