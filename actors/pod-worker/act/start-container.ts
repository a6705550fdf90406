import { within } from '../../../src/actor/in-time.ts';
import type { CriFault } from '../../../src/cri/fault.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, EphemeralContainer } from '../../../src/kube/pod.ts';
import { containerHash } from '../../../src/pod/values/container-hash.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import { linkLegacyLog } from './container-files.ts';
import { createContainer } from './create-container.ts';
import { holdContent, releaseContent } from './mount-volumes.ts';
import { noteUnfinishedHook, postStart } from './post-start.ts';
import { failContainer } from './report-failure.ts';
import { resolveImages } from './resolve-images.ts';
import { CANCELLED, stopAfter, type ContainerResult, type Stopped } from '../decide/step-result.ts';
import { creationOptions, type SandboxPlace, type StartPlace } from './start-place.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** Pulls the images of one container, creates it, starts it, and runs its postStart hook. */
export async function startContainer(
  attempt: SyncAttempt,
  container: EphemeralContainer,
  place: StartPlace,
): Promise<ContainerResult> {
  const { name } = container;
  const newest = place.runtime.containers.find((each) => each.name === name);
  const present = newest !== undefined && isCreated(newest, container, place) ? newest : undefined;
  const isRefused = present !== undefined && attempt.decided.memory.failures.get(name)?.left === present.id;
  if (present !== undefined && !isRefused) {
    await holdContent(attempt, container);
    return startCreated(attempt, container, { ...place, id: present.id, origin: 'earlier' });
  }
  const { images, pulls } = await resolveImages(attempt, container, place);
  if (!images.ok) return { type: 'container', name, pulls, stop: images.stop };
  const discarded = isRefused ? await discard(attempt, name, present.id) : undefined;
  if (discarded !== undefined) return { type: 'container', name, pulls, stop: discarded.stop };
  await holdContent(attempt, container);
  const created = await createContainer(attempt, container, { place, newest, images: images.value });
  if (!created.ok) {
    releaseContent(attempt, container, created.stop);
    return { type: 'container', name, pulls, stop: created.stop };
  }
  const id = created.value;
  const started = await startCreated(attempt, container, { ...place, id, origin: 'this-attempt' });
  return { ...started, pulls, actuated: [id, container.resources ?? {}] };
}

/**
 * The container was created from this very spec in this very sandbox and never started. Starting it is not a restart.
 */
const isCreated = (newest: RuntimeContainer, container: Container, { sandboxId }: SandboxPlace): boolean =>
  newest.state === 'created' && newest.sandboxId === sandboxId && newest.hash === containerHash(container);

/**
 * Removes a container whose start the runtime refused. Its next instance is created afresh: whatever spoiled this one
 * would spoil its next start too.
 */
async function discard(attempt: SyncAttempt, name: string, id: ContainerId): Promise<Stopped | undefined> {
  const { pod, tools } = attempt;
  if (attempt.isCancelled) return CANCELLED;
  const removed = await tools.runtime.cri.call('RemoveContainer', { containerId: id }, { podUid: pod.metadata.uid });
  if (removed.ok || removed.fault.code === 'NOT_FOUND') return undefined;
  const message = `removing the container that could not be started failed: ${removed.fault.detail}`;
  return (
    stopAfter(removed.fault) ?? failContainer(tools.reports, name, { reason: 'RunContainerError', message, left: id })
  );
}

interface CreatedContainer {
  readonly id: ContainerId;
  /** `earlier`: an earlier attempt, perhaps of an earlier incarnation, created the container. */
  readonly origin: 'earlier' | 'this-attempt';
}

async function startCreated(
  attempt: SyncAttempt,
  container: Container,
  { id, origin, sandboxId, sandbox, podIps, observedAt }: SandboxPlace & CreatedContainer,
): Promise<ContainerResult> {
  const { pod, tools } = attempt;
  const { uid } = pod.metadata;
  const { name, lifecycle } = container;
  const result: ContainerResult = { type: 'container', name, touched: [id, sandboxId] };
  // A pod that is being removed starts nothing more.
  if (attempt.isCancelled) {
    releaseContent(attempt, container, CANCELLED.stop);
    return { ...result, stop: CANCELLED.stop };
  }
  const hook = lifecycle?.postStart;
  if (hook !== undefined) noteUnfinishedHook(tools, uid, id);
  const started = await tools.runtime.cri.call('StartContainer', { containerId: id }, creationOptions(uid, observedAt));
  releaseContent(attempt, container, started.ok ? undefined : stopAfter(started.fault)?.stop);
  const unfinishedHook = hook === undefined ? {} : { unfinishedHook: id };
  if (!started.ok) {
    const { stop } = startFailed(attempt, name, { fault: started.fault, id, origin });
    // If the container was started all the same, its hook is still to run.
    return { ...result, stop, ...(stop.type === 'in-doubt' && unfinishedHook) };
  }
  tools.reports.event({ type: 'Normal', reason: 'Started', message: 'Container started', container: name });
  linkLegacyLog(tools.host, pod, { container, id, logFile: `${sandbox.logDirectory}/${name}` });
  if (hook === undefined) return result;
  if (attempt.isCancelled) return { ...result, ...unfinishedHook };
  const returned = postStart(attempt, { container, id, podIps });
  const isShort = (await within(tools.clock, HOOK_SHOWN_MS, returned)) !== 'time-up';
  const seen = isShort ? undefined : await tools.observe({ sandboxes: [], containers: [[id, sandboxId]] });
  if (seen?.ok === true && !attempt.isCancelled) attempt.progress(seen.value);
  const stop = await returned;
  return {
    ...result,
    seen: seen?.ok === true ? seen.value : undefined,
    stop,
    ...(stop?.type === 'cancelled' && unfinishedHook),
  };
}

/** A hook that takes longer than this leaves its container reported as running, and not ready, meanwhile. */
const HOOK_SHOWN_MS = 250;

function startFailed(
  { tools }: SyncAttempt,
  name: string,
  { fault, id, origin }: CreatedContainer & { readonly fault: CriFault },
): Stopped {
  const unknown = stopAfter(fault);
  if (unknown !== undefined) return unknown;
  const failure = { reason: 'RunContainerError', message: fault.detail };
  if (origin === 'this-attempt') return failContainer(tools.reports, name, { ...failure, left: id });
  // An earlier incarnation may have started the container already. The next look shows that.
  return { ok: false, stop: { type: 'container-failed', failure: { ...failure, until: undefined, left: id } } };
}
