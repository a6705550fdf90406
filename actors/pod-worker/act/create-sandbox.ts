import { rpcErrorText, type CriFault } from '../../../src/cri/fault.ts';
import { RunPodSandboxRequest, type PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import { sandboxId, type SandboxId } from '../../../src/kube/ids.ts';
import { messageOf } from '../../../src/kube/text/message-of.ts';
import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import type { UserNamespaceIds } from '../../../src/pod/cri-config/namespaces.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import { hasOwnUsers, userNamespaceIds } from '../../../src/pod/sync/user-namespace.ts';
import { podLogDirectory } from '../../../src/pod/values/pod-log-path.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { PodEvent } from '../worker-state.ts';
import { failSandbox } from './report-failure.ts';
import { handlerFeatures, runtimeHandler } from './runtime-class.ts';
import {
  CANCELLED,
  IN_DOUBT,
  isUnknown,
  type SandboxResult,
  type Step,
  type Stop,
  type Stopped,
} from '../decide/step-result.ts';
import { creationOptions, type SandboxPlace } from './start-place.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** A sandbox with a network may take as long as two ordinary calls. */
const SANDBOX_TIMEOUTS = 2;

export interface ReadySandbox {
  /** Absent when no sandbox was requested. */
  readonly result?: SandboxResult;
  /** Absent when nothing can start. */
  readonly place?: SandboxPlace;
}

/** Returns the sandbox that containers start in. Creates it if that was decided. */
export async function readySandbox(attempt: SyncAttempt): Promise<ReadySandbox> {
  const { pod, tools, decided } = attempt;
  const { actions, runtime } = decided;
  const { reports } = tools;
  const ids = hasOwnUsers(pod) ? attempt.unlessCancelled(await ownUserIds(attempt)) : NO_OWN_USERS;
  if (!ids.ok) return notCreated(ids);
  const userIds = ids.value;
  const node = actions.createSandbox ? withPresentResolvers(tools) : tools.node;
  if (node === undefined) return notCreated(failSandbox(reports, unreadableResolvers(tools.node)));
  const made = sandboxConfig({ pod, attempt: actions.attempt, node, userIds });
  if (!made.ok) return notCreated(failSandbox(reports, made.message));
  for (const { reason, message } of made.warnings) reports.event({ type: 'Warning', reason, message });
  const sandbox = made.config;
  const ipsOf = ({ ips }: RuntimePodStatus) => (pod.spec.hostNetwork === true ? tools.hostNetworkIps() : ips);
  if (!actions.createSandbox) {
    const { sandboxId: id } = actions;
    if (id === undefined) return {};
    return {
      place: { runtime, sandboxId: id, sandbox, podIps: ipsOf(runtime), userIds, observedAt: decided.observedAt },
    };
  }
  if (actions.sandboxId !== undefined) reports.event(SANDBOX_CHANGED);
  const created = await runSandbox(attempt, sandbox);
  if (!created.ok) return notCreated(created);
  const id = created.value;
  if (attempt.isCancelled) return { result: toInspect(id, CANCELLED.stop) };
  const seen = await tools.observe({ sandboxes: [id], containers: [] });
  if (!seen.ok) return { result: toInspect(id, notObserved(seen.fault)) };
  attempt.progress(seen.value);
  const { status, observedAt } = seen.value;
  return {
    result: { type: 'sandbox', made: true, seen: seen.value },
    place: { runtime: status, sandboxId: id, sandbox, podIps: ipsOf(status), userIds, observedAt },
  };
}

/**
 * Returns the node's facts with its resolver file as the file is now: DHCP, a VPN or systemd-resolved may have written
 * another one. `undefined` when the file cannot be read: the pod waits then, as in the kubelet.
 */
function withPresentResolvers({ node, host }: SyncAttempt['tools']): NodeFacts | undefined {
  if (node.resolvConfPath === undefined) return node;
  const resolvConf = host.files.readShared(node.resolvConfPath);
  if (resolvConf === undefined) return undefined;
  return resolvConf === node.resolvConf ? node : { ...node, resolvConf };
}

const unreadableResolvers = ({ resolvConfPath = '' }: NodeFacts): string =>
  `the resolver file of the node, ${resolvConfPath} (resolvConf), cannot be read`;

const SANDBOX_CHANGED: PodEvent = {
  type: 'Normal',
  reason: 'SandboxChanged',
  message: 'Pod sandbox changed, it will be killed and re-created.',
};

const NO_OWN_USERS: Step<undefined> = { ok: true, value: undefined };

const notCreated = ({ stop }: Stopped): ReadySandbox => ({ result: { type: 'sandbox', made: false, stop } });

const toInspect = (id: SandboxId, stop: Stop): SandboxResult => ({ type: 'sandbox', made: true, touched: id, stop });

const notObserved = (fault: CriFault): Stop =>
  isUnknown(fault)
    ? IN_DOUBT.stop
    : { type: 'pod-failed', message: `cannot get the status of the new sandbox: ${fault.detail}` };

/** Returns the ID block of a pod with a user namespace. */
async function ownUserIds(attempt: SyncAttempt): Promise<Step<UserNamespaceIds>> {
  const { pod, tools } = attempt;
  const { host, node, reports } = tools;
  const handler = await runtimeHandler(attempt);
  if (!handler.ok) return handler;
  const features = await handlerFeatures(tools.runtime, handler.value);
  if (!features.ok) return isUnknown(features.fault) ? IN_DOUBT : failSandbox(reports, rpcErrorText(features.fault));
  if (!features.value.userNamespaces)
    return failSandbox(reports, `RuntimeClass handler "${handler.value}" does not support user namespaces`);
  try {
    const ids = userNamespaceIds(host.files, { rootDir: node.rootDir, uid: pod.metadata.uid });
    if (ids !== undefined) return { ok: true, value: ids };
    return failSandbox(reports, 'could not find an empty slot to allocate a user namespace');
  } catch (error) {
    return failSandbox(reports, messageOf(error));
  }
}

async function runSandbox(attempt: SyncAttempt, config: PodSandboxConfig): Promise<Step<SandboxId>> {
  const { pod, tools, decided } = attempt;
  const { runtime, host, clock, reports } = tools;
  await host.ownTurn?.();
  if (attempt.isCancelled) return CANCELLED;
  const unmade = makeDirectories(attempt, config.logDirectory);
  if (unmade !== undefined) return failSandbox(reports, unmade);
  const handler = attempt.unlessCancelled(await runtimeHandler(attempt));
  if (!handler.ok) return handler;
  const request = RunPodSandboxRequest.fromPartial({ config, runtimeHandler: handler.value });
  const timeoutMs = runtime.requestTimeoutMs * SANDBOX_TIMEOUTS;
  const options = { ...creationOptions(pod.metadata.uid, decided.observedAt), timeoutMs };
  const began = clock.monotonic();
  const outcome = await Promise.race([runtime.cri.call('RunPodSandbox', request, options), attempt.cancelled]);
  const seconds = (clock.monotonic() - began) / 1000;
  reports.metrics?.sandbox(pod, handler.value, { seconds, made: outcome !== 'cancelled' && outcome.ok });
  // The sandbox may have been created anyway, so the runtime is inspected again.
  if (outcome === 'cancelled') return IN_DOUBT;
  if (!outcome.ok) return isUnknown(outcome.fault) ? IN_DOUBT : failSandbox(reports, rpcErrorText(outcome.fault));
  return { ok: true, value: sandboxId(outcome.value.podSandboxId) };
}

/** Returns why the pod's directories cannot be made. */
function makeDirectories({ pod, tools: { host, node } }: SyncAttempt, logDirectory: string): string | undefined {
  const { uid } = pod.metadata;
  const logs = podLogDirectory(pod.metadata);
  if (!logs.ok) return `mkdir ${logDirectory}: ${logs.message}`;
  if (!isEntryName(uid)) return `the UID ${JSON.stringify(uid)} cannot be the name of a directory`;
  try {
    host.files.makeDirectory(logDirectory, 0o755);
    // Creating a directory is the most expensive kernel work of a pod start, so volume directories are created only for
    // pods with volumes.
    for (const name of (pod.spec.volumes ?? []).length > 0 ? ['volumes', 'plugins'] : []) {
      host.files.makeDirectory(`${podDir(node.rootDir, uid)}/${name}`, 0o750);
    }
  } catch (error) {
    return messageOf(error);
  }
  return undefined;
}
