import { assertNever } from '../../kube/text/assert-never.ts';
import type { Container, Pod } from '../../kube/pod.ts';
import { pullPolicyOf } from '../../kube/default-pull-policy.ts';
import { durationText } from '../values/duration-text.ts';
import { backOffUntil } from '../sync/exponential-back-off.ts';
import type { BackOffLimits } from '../../kube/back-off.ts';
import type { BackOffEntry } from '../sync/exponential-back-off.ts';
import { parseImageReference } from './image-reference.ts';

export const IMAGE_BACK_OFF_LIMITS: BackOffLimits = { initialMs: 10_000, maxMs: 300_000 };

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface ImageEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Why a container cannot be started for want of its image: its waiting reason and message, and the event to go with it. */
export interface ImageRefusal {
  readonly reason: string;
  readonly message: string;
  readonly event?: ImageEvent;
}

/** What is asked of the runtime first. */
export type ImageQuestion =
  | { readonly type: 'refuse'; readonly refusal: ImageRefusal }
  /** Whether the image is present does not matter: the registry is asked every time. */
  | { readonly type: 'pull'; readonly image: string; readonly policy: PullPolicy }
  | { readonly type: 'inspect'; readonly image: string; readonly policy: PullPolicy };

/** The first step of a container's start: which image it means, and whether its presence matters. */
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

/** What the runtime answered, and whether the pod may use what is there (KEP-2535). */
export type ImagePresence =
  | { readonly type: 'absent' }
  | { readonly type: 'present'; readonly mayUse: boolean }
  | { readonly type: 'failed'; readonly message: string };

export type ImageVerdict =
  | { readonly type: 'refuse'; readonly refusal: ImageRefusal }
  | { readonly type: 'use'; readonly event: ImageEvent }
  | { readonly type: 'pull' };

/** The second step, after the inspection. */
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

/** What is remembered of an image that could not be pulled, for one pod. */
export interface FailedPull {
  readonly entry: BackOffEntry;
  readonly refusal: Pick<ImageRefusal, 'reason' | 'message'>;
}

/** What a failed pull is remembered by. */
export const pullBackOffKey = ({ metadata }: Pod, image: string): string => `${metadata.uid}_${image}`;

/** The third step, before a pull: whether it is too early to try again. Says until when, and what the container shows. */
export function pullBackOff(
  image: string,
  failed: FailedPull | undefined,
  { now, limits }: { readonly now: number; readonly limits: BackOffLimits },
): { readonly until: number; readonly refusal: ImageRefusal } | undefined {
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

/** A failed pull. Runtimes mark two kinds of failure by how the text begins, and users see those under their own reason. */
export function pullFailure(image: string, error: string): ImageRefusal {
  const event = { type: 'Warning', reason: 'Failed', message: `Failed to pull image "${image}": ${error}` } as const;
  for (const [reason, why] of MARKED_FAILURES) {
    if (!error.startsWith(reason)) continue;
    // What follows the mark, colon and all.
    return { reason, message: `image pull failed for ${image} because ${why}${error.slice(reason.length)}`, event };
  }
  return { reason: 'ErrImagePull', message: error, event };
}

const MARKED_FAILURES = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
] as const;

/** A pull that worked: how long it took by itself and with the wait for its turn, and the image's size if known. */
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
