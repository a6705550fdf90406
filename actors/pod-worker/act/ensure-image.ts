import type { MonotonicMs } from '../../../src/actor/clock.ts';
import { entriesOf, keyed } from '../../../src/kube/text/own.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { Image, PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { Container } from '../../../src/kube/pod.ts';
import {
  IMAGE_BACK_OFF_LIMITS,
  imageQuestion,
  imageVerdict,
  pullBackOff,
  pullBackOffKey,
  pulledEvent,
  pullFailure,
  pullingEvent,
  type FailedPull,
  type ImagePresence,
  type ImageRefusal,
} from '../../../src/pod/image/image-pull-decision.ts';
import { advanced } from '../../../src/pod/sync/exponential-back-off.ts';
import type { InspectedImage } from '../../image-manager/protocol.ts';
import {
  CANCELLED,
  IN_DOUBT,
  notMade,
  stopAfter,
  type PullEnd,
  type Step,
  type Stopped,
} from '../decide/step-result.ts';
import type { ReportTools } from '../tools.ts';
import { loginsOfPod, pullingPod, secretAccess } from './image-logins.ts';
import { imageStatus, NO_ANSWER, pullErrorText, pullImage } from './pull-image.ts';
import type { StartPlace } from './start-place.ts';
import type { SyncAttempt } from './sync-attempt.ts';

export interface PresentImage {
  readonly ref: string;
}

export interface EnsuredImage {
  readonly image: Step<PresentImage>;
  /** Absent when no pull has ended, or its end changes nothing. */
  readonly pull?: PullEnd;
}

type ImagePlace = Pick<StartPlace, 'sandbox' | 'failedPulls'>;

/** Makes sure that a container's image is on the node. */
export async function ensureImage(
  attempt: SyncAttempt,
  container: Container,
  { sandbox, failedPulls }: ImagePlace,
): Promise<EnsuredImage> {
  const { pod, tools } = attempt;
  const { clock, reports, runtime } = tools;
  const question = imageQuestion(container);
  if (question.type === 'refuse') return { image: refused(reports, container, { refusal: question.refusal }) };
  const { image, policy } = question;
  // Calls use the full name with its tag. Events and statuses show the image as the pod writes it.
  const written = container.image ?? image;
  let isPresent: boolean | undefined;
  let inspected: InspectedImage | undefined;
  const annotations = keyed(entriesOf(pod.metadata.annotations));
  if (question.type === 'inspect') {
    const status = await imageStatus(runtime, { image, annotations });
    const present = await presenceOf(attempt, image, status);
    if (!present.ok) return { image: present };
    const stopped = status.ok ? undefined : stopAfter(status.fault);
    if (stopped !== undefined) return { image: stopped };
    isPresent = status.ok ? status.value !== undefined : undefined;
    if (status.ok) inspected = status.value === undefined ? {} : { imageRef: status.value.id };
    const verdict = imageVerdict(written, policy, present.value);
    if (verdict.type === 'refuse') return { image: refused(reports, container, { refusal: verdict.refusal }) };
    if (verdict.type === 'use' && status.ok && status.value !== undefined) {
      reports.metrics?.imageAsked(policy, { present: true, pulls: false });
      reports.event({ ...verdict.event, container: container.name });
      return { image: { ok: true, value: { ref: status.value.id } } };
    }
  }
  const key = pullBackOffKey(pod, image);
  const before = failedPulls.get(key);
  const held = pullBackOff(written, before, { now: clock.monotonic(), limits: IMAGE_BACK_OFF_LIMITS });
  if (held !== undefined) return { image: refused(reports, container, held) };
  reports.metrics?.imageAsked(policy, { present: isPresent, pulls: true });
  return pull(attempt, container, { image, annotations, written, key, before, sandbox, inspected });
}

interface PullPlace {
  readonly image: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** The image as the pod writes it. */
  readonly written: string;
  readonly key: string;
  readonly before: FailedPull | undefined;
  readonly sandbox: PodSandboxConfig;
  readonly inspected: InspectedImage | undefined;
}

async function pull(
  attempt: SyncAttempt,
  container: Container,
  { image, annotations, written, key, before, sandbox, inspected }: PullPlace,
): Promise<EnsuredImage> {
  const { clock, reports } = attempt.tools;
  const { name } = container;
  reports.event({ ...pullingEvent(written), container: name });
  const began = clock.monotonic();
  const request = { image: { image, annotations }, sandboxConfig: sandbox };
  // A pull may take minutes, and a pod that is being removed does not wait for it. The end of the pull is recorded all
  // the same.
  const pulled = await Promise.race([pullImage(attempt, { request, inspected }), attempt.cancelled]);
  if (pulled === 'cancelled') return { image: CANCELLED };
  if (!pulled.ok) {
    if (pulled.fault.code === 'INTERRUPTED') return { image: IN_DOUBT };
    if (pulled.fault.code === 'NOT_MADE') return { image: notMade(pulled.fault.detail) };
    const refusal = pullFailure(written, pullErrorText(pulled.fault));
    const now = clock.monotonic();
    const entry = advanced(before?.entry, { failedAt: now, now }, IMAGE_BACK_OFF_LIMITS);
    const failed: FailedPull = { entry, refusal };
    // The image is backed off from now on. The status shows that without waiting for the next try.
    const held = pullBackOff(written, failed, { now, limits: IMAGE_BACK_OFF_LIMITS });
    const stopped = refused(reports, container, {
      refusal,
      ...(held !== undefined && { until: held.until, waitsFor: held.refusal }),
    });
    if (held !== undefined) reportRefusal(reports, container, held.refusal);
    return { image: stopped, pull: { key, failed } };
  }
  const { ref, sizeBytes, endedAt } = pulled.value;
  const tookMs = endedAt - began;
  reports.metrics?.pulled(tookMs / 1000, sizeBytes);
  reports.event({ ...pulledEvent(written, { pullMs: tookMs, totalMs: tookMs, sizeBytes }), container: name });
  const present: Step<PresentImage> = { ok: true, value: { ref } };
  return before === undefined ? { image: present } : { image: present, pull: { key, failed: undefined } };
}

/** Decides whether an image is on the node and the pod may use it. */
async function presenceOf(
  { pod, tools, cancelled }: SyncAttempt,
  image: string,
  status: CriOutcome<Image | undefined>,
): Promise<Step<ImagePresence>> {
  if (!status.ok) return { ok: true, value: { type: 'failed', message: status.fault.detail } };
  if (status.value === undefined) return ABSENT;
  const { images } = tools;
  if (images === undefined) return USABLE;
  const { id } = status.value;
  const asked = loginsOfPod({ pod, tools }, image).then(({ logins }) =>
    images.mayUse(image, id, { secrets: secretAccess(logins), pod: pullingPod(pod) }),
  );
  const mayUse = await Promise.race([asked, cancelled]);
  if (mayUse === 'cancelled') return CANCELLED;
  return mayUse === undefined ? notMade(NO_ANSWER) : { ok: true, value: { type: 'present', mayUse } };
}

const ABSENT: Step<ImagePresence> = { ok: true, value: { type: 'absent' } };
const USABLE: Step<ImagePresence> = { ok: true, value: { type: 'present', mayUse: true } };

interface Refused {
  readonly refusal: ImageRefusal;
  readonly until?: MonotonicMs;
  /** Shown once the failure itself was shown. */
  readonly waitsFor?: ImageRefusal | undefined;
}

type Reports = Pick<ReportTools, 'event'>;

function refused(reports: Reports, container: Container, { refusal, until, waitsFor }: Refused): Stopped {
  const { reason, message } = refusal;
  reportRefusal(reports, container, refusal);
  const failure = {
    reason,
    message,
    until,
    ...(waitsFor !== undefined && { waitsFor: { reason: waitsFor.reason, message: waitsFor.message } }),
  };
  return { ok: false, stop: { type: 'container-failed', failure } };
}

function reportRefusal({ event: report }: Reports, { name }: Container, { reason, event }: ImageRefusal): void {
  if (event !== undefined) report({ ...event, container: name });
  report({ type: 'Warning', reason: 'Failed', message: `Error: ${reason}`, container: name });
}
