import type { MonotonicMs } from '../../actor/clock.ts';
import { assertNever } from '../../kube/text/assert-never.ts';
import type { Container, Pod } from '../../kube/pod.ts';
import { pullPolicyOf } from '../../kube/default-pull-policy.ts';
import { durationText } from '../values/duration-text.ts';
import { backOffUntil } from '../sync/exponential-back-off.ts';
import type { BackOffLimits } from '../../actor/back-off.ts';
import type { BackOffEntry } from '../sync/exponential-back-off.ts';
import { parseImageReference } from './image-reference.ts';

export const IMAGE_BACK_OFF_LIMITS: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface ImageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The reason why a container cannot start without its image, as waiting reason, message and event. */
export interface ImageRefusal {
  readonly reason: string;
  readonly message: string;
  readonly event?: ImageEvent;
}

/** The first request to the runtime. */
export type ImageQuestion =
  | { readonly type: 'refuse'; readonly refusal: ImageRefusal }
  /** The registry is asked every time, whether or not the image is present. */
  | { readonly type: 'pull'; readonly image: string; readonly policy: PullPolicy }
  | { readonly type: 'inspect'; readonly image: string; readonly policy: PullPolicy };

/** The first step of a container's start: which image it needs, and whether the presence of the image matters. */
export function imageQuestion(container: Pick<Container, 'image' | 'imagePullPolicy'>): ImageQuestion {
  const written = container.image ?? '';
  const policy = container.imagePullPolicy ?? pullPolicyOf(written);
  const reference = parseImageReference(written);
  if (!reference.ok) {
    const message = `Failed to apply default image tag "${written}": ${reference.message}`;
    return { type: 'refuse', refusal: refusal('InvalidImageName', message, 'InspectFailed') };
  }
  return { type: policy === 'Always' ? 'pull' : 'inspect', image: reference.image, policy };
}

/** The runtime's answer, and whether the pod may use the present image (KEP-2535). */
export type ImagePresence =
  | { readonly type: 'absent' }
  | { readonly type: 'present'; readonly mayUse: boolean }
  | { readonly type: 'failed'; readonly message: string };

export type ImageVerdict =
  | { readonly type: 'refuse'; readonly refusal: ImageRefusal }
  | { readonly type: 'use'; readonly event: ImageEvent }
  | { readonly type: 'pull' };

/** The second step, after the image was inspected. */
export function imageVerdict(image: string, policy: PullPolicy, presence: ImagePresence): ImageVerdict {
  switch (presence.type) {
    case 'failed': {
      const message = `Failed to inspect image "${image}": ${presence.message}`;
      return { type: 'refuse', refusal: refusal('ImageInspectError', message, 'InspectFailed') };
    }
    case 'present':
      if (presence.mayUse) {
        const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
        return { type: 'use', event: { type: 'Normal', reason: 'Pulled', message } };
      }
      return policy === 'Never' ? neverPulled(image, 'present-but-barred') : { type: 'pull' };
    case 'absent':
      return policy === 'Never' ? neverPulled(image, 'absent') : { type: 'pull' };
    default:
      return assertNever(presence, 'image presence');
  }
}

function neverPulled(image: string, why: 'absent' | 'present-but-barred'): ImageVerdict {
  const message =
    why === 'absent'
      ? `Container image "${image}" is not present with pull policy of Never`
      : `Container image "${image}" is present with pull policy of Never but does not have the proper credentials to access it`;
  return { type: 'refuse', refusal: refusal('ErrImageNeverPull', message, 'ErrImageNeverPull') };
}

/** A failed image pull of one pod. */
export interface FailedPull {
  readonly entry: BackOffEntry;
  readonly refusal: Pick<ImageRefusal, 'reason' | 'message'>;
}

/** The key under which a failed pull is stored. */
export const pullBackOffKey = ({ metadata }: Pod, image: string): string => `${metadata.uid}_${image}`;

/**
 * The third step, before a pull: decides whether a retry is too early. Returns the end of the wait and the container's
 * waiting state.
 */
export function pullBackOff(
  image: string,
  failed: FailedPull | undefined,
  { now, limits }: { readonly now: MonotonicMs; readonly limits: BackOffLimits },
): { readonly until: MonotonicMs; readonly refusal: ImageRefusal } | undefined {
  if (failed === undefined) return undefined;
  const until = backOffUntil(failed.entry, { failedAt: failed.entry.advancedAt, now }, limits);
  if (until === undefined) return undefined;
  const text = `Back-off pulling image "${image}"`;
  return {
    until,
    refusal: {
      reason: 'ImagePullBackOff',
      message: `${text}: ${failed.refusal.reason}: ${failed.refusal.message}`,
      event: { type: 'Normal', reason: 'BackOff', message: text },
    },
  };
}

export const pullingEvent = (image: string): ImageEvent => ({
  type: 'Normal',
  reason: 'Pulling',
  message: `Pulling image "${image}"`,
});

/**
 * Describes a failed pull. Runtimes mark two kinds of failure by the beginning of the text; users see those under their
 * own reason.
 */
export function pullFailure(image: string, error: string): ImageRefusal {
  const event = { type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${error}` } as const;
  for (const [reason, why] of MARKED_FAILURES) {
    if (!error.startsWith(reason)) continue;
    // Keeps the text after the mark, colon included.
    return { reason, message: `image pull failed for ${image} because ${why}${error.slice(reason.length)}`, event };
  }
  return { reason: 'ErrImagePull', message: error, event };
}

const MARKED_FAILURES = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
] as const;

/** Describes a successful pull: its duration without and with the wait for its turn, and the image's size if known. */
export function pulledEvent(
  image: string,
  { pullMs, totalMs, sizeBytes }: { readonly pullMs: number; readonly totalMs: number; readonly sizeBytes: number },
): ImageEvent {
  const took = `${durationText(pullMs)} (${durationText(totalMs)} including waiting)`;
  const message = `Successfully pulled image "${image}" in ${took}. Image size: ${sizeBytes} bytes.`;
  return { type: 'Normal', reason: 'Pulled', message };
}

function refusal(reason: string, message: string, eventReason: string): ImageRefusal {
  return { reason, message, event: { type: 'Warning', reason: eventReason, message } };
}
