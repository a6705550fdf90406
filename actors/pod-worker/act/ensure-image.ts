import { entriesOf, keyed } from '../../../src/kube/text/own.ts';
import { isInDoubt, rpcErrorText, type CriFault, type CriOutcome } from '../../../src/cri/fault.ts';
import {
  ImageSpec,
  PullImageRequest,
  type Image,
  type PodSandboxConfig,
  type PullImageResponse,
} from '../../../src/cri/gen/api.ts';
import { excerpt } from '../../../src/kube/text/excerpt.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { advanced } from '../../../src/pod/sync/exponential-back-off.ts';
import {
  IMAGE_BACK_OFF_LIMITS,
  imageQuestion,
  imageVerdict,
  pullBackOff,
  pullBackOffKey,
  pulledEvent,
  pullFailure,
  pullingEvent,
  type ImagePresence,
  type ImageRefusal,
} from '../../../src/pod/image/image-pull-decision.ts';
import type { PullingPod } from '../../../src/images/provider-account.ts';
import { loginHash, type PullAccess, type SecretAccess } from '../../../src/images/pull-records.ts';
import {
  loginsFor,
  type ImageLogin,
  type RegistryLogin,
  type SecretName,
} from '../../../src/pod/image/image-credentials.ts';
import type { ImageUser } from '../../../src/pod/cri-config/security-context.ts';
import type { InspectedImage, PulledImage, PullLeave } from '../../image-manager/protocol.ts';
import type { PodEvent } from '../worker-state.ts';
import type { Round } from './sync-attempt.ts';

export interface PresentImage {
  readonly ref: string;
}

/**
 * Makes sure that a container's image is on the node. `undefined` when it is not: the reason was recorded in the round.
 */
export async function ensureImage(
  round: Round,
  container: Container,
  sandbox: PodSandboxConfig,
): Promise<PresentImage | undefined> {
  const { clock, reports } = round.tools;
  const question = imageQuestion(container);
  if (question.type === 'refuse') return refused(round, container, { refusal: question.refusal });
  const { image, policy } = question;
  // Calls use the full name with its tag. Events and statuses show the image as the pod writes it.
  const written = container.image ?? image;
  let isPresent: boolean | undefined;
  let inspected: InspectedImage | undefined;
  const annotations = keyed(entriesOf(round.pod.metadata.annotations));
  if (question.type === 'inspect') {
    const status = await imageStatus(round, { image, annotations });
    const present: ImagePresence | 'cancelled' | 'unknown' = !status.ok
      ? { type: 'failed', message: status.fault.detail }
      : status.value === undefined
        ? { type: 'absent' }
        : await presenceOf(round, image, status.value.id);
    if (present === 'cancelled') return undefined;
    if (present === 'unknown') return heldUp(round, container);
    if (!status.ok && (round.leavesDoubt(status.fault) || round.isHeldUp(container.name, status.fault)))
      return undefined;
    isPresent = status.ok ? status.value !== undefined : undefined;
    if (status.ok) inspected = status.value === undefined ? {} : { imageRef: status.value.id };
    const verdict = imageVerdict(written, policy, present);
    if (verdict.type === 'refuse') return refused(round, container, { refusal: verdict.refusal });
    if (verdict.type === 'use' && status.ok && status.value !== undefined) {
      round.tools.reports.metrics?.imageAsked(policy, { present: true, pulls: false });
      reports.event({ ...verdict.event, container: container.name });
      return { ref: status.value.id };
    }
  }
  const key = pullBackOffKey(round.pod, image);
  const held = pullBackOff(written, round.failedPulls.get(key), {
    now: clock.monotonic(),
    limits: IMAGE_BACK_OFF_LIMITS,
  });
  if (held !== undefined) return refused(round, container, held);
  round.tools.reports.metrics?.imageAsked(policy, { present: isPresent, pulls: true });
  return pull(round, container, { image, written, key, sandbox, inspected });
}

interface PullPlace {
  readonly image: string;
  /** The image as the pod writes it. */
  readonly written: string;
  readonly key: string;
  readonly sandbox: PodSandboxConfig;
  readonly inspected: InspectedImage | undefined;
}

async function pull(
  round: Round,
  container: Container,
  { image, written, key, sandbox, inspected }: PullPlace,
): Promise<PresentImage | undefined> {
  const { clock, reports } = round.tools;
  reports.event({ ...pullingEvent(written), container: container.name });
  const began = clock.monotonic();
  const annotations = keyed(entriesOf(round.pod.metadata.annotations));
  const request = { image: { image, annotations }, sandboxConfig: sandbox };
  const place = { request, inspected };
  // A pull may take minutes, and a pod that is being removed does not wait for it. The end of the pull is recorded all
  // the same.
  const outcome = await Promise.race([notedPull(round, place), round.cancelled]);
  if (outcome === 'cancelled') return undefined;
  const { pulled } = outcome;
  if (!pulled.ok) {
    if (pulled.fault.code === 'INTERRUPTED' && round.leavesDoubt(pulled.fault)) return undefined;
    if (round.isHeldUp(container.name, pulled.fault)) return undefined;
    const refusal = pullFailure(written, pullErrorText(pulled.fault));
    const now = clock.monotonic();
    const entry = advanced(round.failedPulls.get(key)?.entry, { failedAt: now, now }, IMAGE_BACK_OFF_LIMITS);
    round.failedPulls.set(key, { entry, refusal });
    // The image is backed off from now on. The status shows that without waiting for the next try.
    const held = pullBackOff(written, { entry, refusal }, { now, limits: IMAGE_BACK_OFF_LIMITS });
    refused(round, container, { refusal, waitsFor: held?.refusal });
    if (held !== undefined) tellRefusal(round, container, held.refusal);
    return undefined;
  }
  round.failedPulls.delete(key);
  const { ref, sizeBytes, endedAt } = pulled.value;
  const tookMs = endedAt - began;
  round.tools.reports.metrics?.pulled(tookMs / 1000, sizeBytes);
  reports.event({ ...pulledEvent(written, { pullMs: tookMs, totalMs: tookMs, sizeBytes }), container: container.name });
  return { ref };
}

interface NotedPull {
  readonly pulled: CriOutcome<PresentImage & { readonly sizeBytes: number; readonly endedAt: number }>;
}

/** Pulls the image and reports the end to the image manager, whether or not the round still waits. */
async function notedPull(round: Round, asked: PullToMake): Promise<NotedPull> {
  const { images, clock } = round.tools;
  const { image, annotations } = asked.request.image;
  const { pulled, access, isBegun } = await pullAsAnyone(round, asked);
  if (!pulled.ok) {
    // An image that may have reached the node after all stays marked as begun, so that no pod uses it without
    // credentials.
    if (isBegun && !isInDoubt(pulled.fault)) await images?.endPull(image, pullingPod(round.pod));
    return { pulled };
  }
  const status = await imageStatus(round, { image, annotations });
  const present = status.ok ? status.value : undefined;
  const ref = present?.id ?? pulled.value.imageRef;
  const endedAt = clock.monotonic();
  await images?.endPull(image, pullingPod(round.pod), { imageRef: ref, access });
  return { pulled: { ok: true, value: { ref, sizeBytes: Number(present?.size ?? 0n), endedAt } } };
}

/** A fault with a code of its own is shown with the code, an `UNKNOWN` fault with its text only. */
const pullErrorText = (fault: CriFault): string => (fault.code === 'UNKNOWN' ? fault.detail : rpcErrorText(fault));

interface PullAsked {
  readonly image: { readonly image: string; readonly annotations: Readonly<Record<string, string>> };
  readonly sandboxConfig: PodSandboxConfig;
}

interface PullToMake {
  readonly request: PullAsked;
  /** The runtime's earlier answer about the image. */
  readonly inspected: InspectedImage | undefined;
}

/** The result of a pull, and the credentials that allowed it. */
interface Pulled {
  readonly pulled: CriOutcome<PullImageResponse>;
  readonly access: PulledImage['access'];
  /** `true` if the image manager has recorded that the pull began. */
  readonly isBegun: boolean;
}

/**
 * Tries the pod's logins for this image, then the node's, until one works; pulls without a login when there is none.
 * The pod's secrets are read before the image manager records the pull: bad secrets delay no pull of others.
 */
async function pullAsAnyone(round: Round, { request, inspected }: PullToMake): Promise<Pulled> {
  const { runtime, images } = round.tools;
  const { image } = request.image;
  const ofPod = await loginsOfPod(round, image);
  const leave = images === undefined ? NO_LOGINS : await images.beginPull(image, pullingPod(round.pod), inspected);
  if (leave?.type !== 'go') return { pulled: { ok: false, fault: whyNotBegun(leave) }, access: 'node', isBegun: false };
  if (!round.goesOn) return { pulled: { ok: false, fault: GOING_AWAY }, access: 'node', isBegun: true };
  const logins: readonly ImageLogin[] = [...ofPod, ...leave.logins];
  const within = { podUid: round.pod.metadata.uid };
  const pull = async (login: ImageLogin | undefined): Promise<Pulled> => {
    const auth = login === undefined ? {} : { auth: { username: login.username, password: login.password } };
    const pulled = await runtime.cri.call('PullImage', PullImageRequest.fromPartial({ ...request, ...auth }), within);
    const access = login === undefined ? 'node' : leaveOf(login);
    return { pulled, access, isBegun: true };
  };
  const [first, ...others] = logins;
  const details = new Set<string>();
  let last = await pull(first);
  for (const login of others) {
    if (last.pulled.ok || isOurs(last.pulled.fault) || !round.goesOn) return last;
    details.add(pullErrorText(last.pulled.fault));
    last = await pull(login);
  }
  if (last.pulled.ok || details.size === 0) return last;
  const detail = [...details.add(pullErrorText(last.pulled.fault))].join(', ');
  // The text already contains every code.
  const fault: CriFault = { code: 'UNKNOWN', detail: details.size > 1 ? `[${detail}]` : detail };
  return { pulled: { ok: false, fault }, access: 'node', isBegun: true };
}

const NO_LOGINS: PullLeave = { type: 'go', logins: [] };

function whyNotBegun(leave: Exclude<PullLeave, { type: 'go' }> | undefined): CriFault {
  if (leave === undefined) return NOT_ANSWERED;
  if (leave.type === 'too-many') return { code: 'UNKNOWN', detail: 'pull QPS exceeded' };
  return { code: 'NOT_MADE', detail: `cannot record that the pull begins: ${leave.problem}` };
}

const NOT_ANSWERED: CriFault = { code: 'NOT_MADE', detail: 'the image manager does not answer' };

/** No pull was requested, so nothing can come of it. */
const GOING_AWAY: CriFault = { code: 'NOT_MADE', detail: 'the pod is going away' };

/** Returns the logins for an image from the pod's pull secrets, best first. */
async function loginsOfPod(round: Round, image: string, isTold = true): Promise<readonly ImageLogin[]> {
  const { objects, reports } = round.tools;
  if (objects === undefined || (round.pod.spec.imagePullSecrets ?? []).length === 0) return [];
  const { secrets, without } = await objects.pullSecrets(round.pod);
  const { logins, leftOut } = loginsFor(image, secrets);
  const missing = [...without, ...leftOut];
  if (isTold && missing.length > 0) reports.event(secretsMissing(missing));
  return logins;
}

const accessOf = (login: RegistryLogin, secret: SecretName): SecretAccess => ({
  ...secret,
  credentialHash: loginHash(login),
});

/** Returns the access that a pull with this login grants. */
function leaveOf({ secret, account, ...login }: ImageLogin): PullAccess {
  if (secret !== undefined) return accessOf(login, secret);
  return account === undefined ? 'node' : { serviceAccount: account };
}

const pullingPod = ({ metadata, spec }: Pod): PullingPod => ({
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
  serviceAccount: spec.serviceAccountName ?? '',
});

/** Decides whether the pod may use an image that is on the node. */
async function presenceOf(
  round: Round,
  image: string,
  imageRef: string,
): Promise<ImagePresence | 'cancelled' | 'unknown'> {
  const { images } = round.tools;
  if (images === undefined) return { type: 'present', mayUse: true };
  const asked = loginsOfPod(round, image, false).then((logins) => {
    const secrets = logins.flatMap(({ secret, ...login }) => (secret === undefined ? [] : accessOf(login, secret)));
    return images.mayUse(image, imageRef, { secrets, pod: pullingPod(round.pod) });
  });
  const mayUse = await Promise.race([asked, round.cancelled]);
  if (mayUse === 'cancelled') return mayUse;
  return mayUse === undefined ? 'unknown' : { type: 'present', mayUse };
}

function heldUp(round: Round, { name }: Container): undefined {
  round.isHeldUp(name, NOT_ANSWERED);
}

/** Returns `true` for faults of this agent: no registry has refused the login. */
const isOurs = ({ code }: CriFault): boolean => code === 'INTERRUPTED' || code === 'NOT_MADE';

const secretsMissing = (names: readonly string[]): PodEvent => ({
  type: 'Warning',
  reason: 'FailedToRetrieveImagePullSecret',
  message: `Unable to retrieve some image pull secrets (${excerpt(names.join(', '))}); attempting to pull the image may not succeed.`,
});

async function imageStatus(
  round: Round,
  spec: { readonly image: string; readonly annotations?: Readonly<Record<string, string>> | undefined },
) {
  const outcome = await round.tools.runtime.cri.call('ImageStatus', {
    image: ImageSpec.fromPartial({ image: spec.image, annotations: spec.annotations ?? {} }),
    verbose: false,
  });
  return outcome.ok ? { ok: true as const, value: outcome.value.image } : outcome;
}

/**
 * Returns the user that the image sets for a container whose pod sets none. `undefined` when unknown: the reason was
 * recorded in the round.
 */
export async function imageUser(round: Round, container: Container): Promise<ImageUser | undefined> {
  const status = await imageStatus(round, { image: container.image ?? '' });
  if (status.ok) return (status.value && userOf(status.value)) ?? {};
  if (round.leavesDoubt(status.fault) || round.isHeldUp(container.name, status.fault)) return undefined;
  const message = rpcErrorText(status.fault);
  round.tools.reports.event({
    type: 'Warning',
    reason: 'Failed',
    message: `Error: ${message}`,
    container: container.name,
  });
  round.containerFailed(container.name, { reason: 'CreateContainerConfigError', message, until: undefined });
  return undefined;
}

const userOf = ({ uid, username }: Image): ImageUser | undefined =>
  uid === undefined ? (username === '' ? undefined : { username }) : { uid: Number(uid.value) };

function refused(round: Round, container: Container, { refusal, until, waitsFor }: Refused): undefined {
  const { reason, message } = refusal;
  tellRefusal(round, container, refusal);
  round.containerFailed(container.name, {
    reason,
    message,
    until,
    ...(waitsFor !== undefined && { waitsFor: { reason: waitsFor.reason, message: waitsFor.message } }),
  });
}

interface Refused {
  readonly refusal: ImageRefusal;
  readonly until?: number;
  /** Shown once the failure itself was shown. */
  readonly waitsFor?: ImageRefusal | undefined;
}

function tellRefusal({ tools }: Round, { name }: Container, { reason, event }: ImageRefusal): void {
  if (event !== undefined) tools.reports.event({ ...event, container: name });
  tools.reports.event({ type: 'Warning', reason: 'Failed', message: `Error: ${reason}`, container: name });
}
