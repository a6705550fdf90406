import type { MonotonicMs } from '../../../src/actor/clock.ts';
import { isInDoubt, rpcErrorText, type CriFault, type CriOutcome } from '../../../src/cri/fault.ts';
import {
  ImageSpec,
  PullImageRequest,
  type Image,
  type PodSandboxConfig,
  type PullImageResponse,
} from '../../../src/cri/gen/api.ts';
import type { ImageLogin } from '../../../src/pod/image/image-credentials.ts';
import type { InspectedImage, PulledImage, PullPermission } from '../../image-manager/protocol.ts';
import type { RuntimeTools } from '../tools.ts';
import { accessThrough, loginsOfPod, pullingPod } from './image-logins.ts';
import type { SyncAttempt } from './sync-attempt.ts';

export interface PulledImageFacts {
  readonly ref: string;
  readonly sizeBytes: number;
  /** Monotonic instant. */
  readonly endedAt: MonotonicMs;
}

export interface PullToMake {
  readonly request: PullRequest;
  /** The runtime's earlier answer about the image. */
  readonly inspected: InspectedImage | undefined;
}

interface PullRequest {
  readonly image: { readonly image: string; readonly annotations: Readonly<Record<string, string>> };
  readonly sandboxConfig: PodSandboxConfig;
}

/** Pulls the image and reports the end to the image manager, whether or not the attempt still waits. */
export async function pullImage(attempt: SyncAttempt, asked: PullToMake): Promise<CriOutcome<PulledImageFacts>> {
  const { images, clock, runtime } = attempt.tools;
  const { image, annotations } = asked.request.image;
  const { pulled, access, isBegun } = await pullAsAnyone(attempt, asked);
  if (!pulled.ok) {
    // An image that may have reached the node after all stays marked as begun, so that no pod uses it without
    // credentials.
    if (isBegun && !isInDoubt(pulled.fault)) await images?.endPull(image, pullingPod(attempt.pod));
    return pulled;
  }
  const status = await imageStatus(runtime, { image, annotations });
  const present = status.ok ? status.value : undefined;
  const ref = present?.id ?? pulled.value.imageRef;
  const endedAt = clock.monotonic();
  await images?.endPull(image, pullingPod(attempt.pod), { imageRef: ref, access });
  return { ok: true, value: { ref, sizeBytes: Number(present?.size ?? 0n), endedAt } };
}

/** A fault with a code of its own is shown with the code, an `UNKNOWN` fault with its text only. */
export const pullErrorText = (fault: CriFault): string =>
  fault.code === 'UNKNOWN' ? fault.detail : rpcErrorText(fault);

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
async function pullAsAnyone(attempt: SyncAttempt, { request, inspected }: PullToMake): Promise<Pulled> {
  const { pod, tools } = attempt;
  const { runtime, images, reports } = tools;
  const { image } = request.image;
  const { logins: ofPod, missing } = await loginsOfPod(attempt, image);
  if (missing !== undefined) reports.event(missing);
  const leave = images === undefined ? NO_LOGINS : await images.beginPull(image, pullingPod(pod), inspected);
  if (leave?.type !== 'allowed')
    return { pulled: { ok: false, fault: whyNotBegun(leave) }, access: 'node', isBegun: false };
  if (attempt.isCancelled) return { pulled: { ok: false, fault: POD_TERMINATING }, access: 'node', isBegun: true };
  const logins: readonly ImageLogin[] = [...ofPod, ...leave.logins];
  const within = { podUid: pod.metadata.uid };
  const pull = async (login: ImageLogin | undefined): Promise<Pulled> => {
    const auth = login === undefined ? {} : { auth: { username: login.username, password: login.password } };
    const pulled = await runtime.cri.call('PullImage', PullImageRequest.fromPartial({ ...request, ...auth }), within);
    const access = login === undefined ? 'node' : accessThrough(login);
    return { pulled, access, isBegun: true };
  };
  const [first, ...others] = logins;
  const details = new Set<string>();
  let last = await pull(first);
  for (const login of others) {
    if (last.pulled.ok || isOurs(last.pulled.fault) || attempt.isCancelled) return last;
    details.add(pullErrorText(last.pulled.fault));
    last = await pull(login);
  }
  if (last.pulled.ok || details.size === 0) return last;
  const detail = [...details.add(pullErrorText(last.pulled.fault))].join(', ');
  // The text already contains every code.
  const fault: CriFault = { code: 'UNKNOWN', detail: details.size > 1 ? `[${detail}]` : detail };
  return { pulled: { ok: false, fault }, access: 'node', isBegun: true };
}

const NO_LOGINS: PullPermission = { type: 'allowed', logins: [] };

function whyNotBegun(leave: Exclude<PullPermission, { type: 'allowed' }> | undefined): CriFault {
  if (leave === undefined) return { code: 'NOT_MADE', detail: NO_ANSWER };
  if (leave.type === 'rate-limited') return { code: 'UNKNOWN', detail: 'pull QPS exceeded' };
  return { code: 'NOT_MADE', detail: `cannot record that the pull begins: ${leave.problem}` };
}

export const NO_ANSWER = 'the image manager does not answer';

/** No pull was requested, so nothing can come of it. */
const POD_TERMINATING: CriFault = { code: 'NOT_MADE', detail: 'the pod is going away' };

/** Returns `true` for faults of this agent: no registry has refused the login. */
const isOurs = ({ code }: CriFault): boolean => code === 'INTERRUPTED' || code === 'NOT_MADE';

/** Asks the runtime for an image. The value is `undefined` when the node does not have it. */
export async function imageStatus(
  { cri }: Pick<RuntimeTools, 'cri'>,
  spec: { readonly image: string; readonly annotations?: Readonly<Record<string, string>> | undefined },
): Promise<CriOutcome<Image | undefined>> {
  const outcome = await cri.call('ImageStatus', {
    image: ImageSpec.fromPartial({ image: spec.image, annotations: spec.annotations ?? {} }),
    verbose: false,
  });
  return outcome.ok ? { ok: true, value: outcome.value.image } : outcome;
}
