import { rpcErrorText } from '../../../src/cri/fault.ts';
import type { Image } from '../../../src/cri/gen/api.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import type { ImageVolume } from '../../../src/pod/cri-config/mounts.ts';
import type { ImageUser } from '../../../src/pod/cri-config/security-context.ts';
import { failedPullsAfter } from '../decide/attempt-outcome.ts';
import { stopAfter, type PullEnd, type Step } from '../decide/step-result.ts';
import { ensureImage } from './ensure-image.ts';
import { imageStatus } from './pull-image.ts';
import { failContainer } from './report-failure.ts';
import type { StartPlace } from './start-place.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** The images of a container, all on the node. */
export interface ContainerImages {
  readonly ref: string;
  /** The images that the container mounts, by volume name. */
  readonly volumes: ReadonlyMap<string, ImageVolume>;
}

export interface ResolvedImages {
  readonly images: Step<ContainerImages>;
  readonly pulls: readonly PullEnd[];
}

/** Makes sure of the images that the container mounts as volumes (KEP-4639), then of its own. */
export async function resolveImages(
  attempt: SyncAttempt,
  container: Container,
  { sandbox, failedPulls }: Pick<StartPlace, 'sandbox' | 'failedPulls'>,
): Promise<ResolvedImages> {
  const pulls: PullEnd[] = [];
  const ensure = async (asked: Container) => {
    const known = failedPullsAfter(failedPulls, pulls);
    const { image, pull } = await ensureImage(attempt, asked, { sandbox, failedPulls: known });
    if (pull !== undefined) pulls.push(pull);
    return image;
  };
  const volumes = new Map<string, ImageVolume>();
  for (const { volume, asked } of mountedImages(attempt.pod, container)) {
    const ensured = await ensure(asked);
    attempt.tools.reports.metrics?.imageVolume(ensured.ok ? 'mounted' : 'failed');
    const image = attempt.unlessCancelled(ensured);
    if (!image.ok) return { images: image, pulls };
    volumes.set(volume, { imageRef: image.value.ref, reference: asked.image ?? '' });
  }
  const image = attempt.unlessCancelled(await ensure(container));
  if (!image.ok) return { images: image, pulls };
  return { images: { ok: true, value: { ref: image.value.ref, volumes } }, pulls };
}

interface MountedImage {
  /** The volume's name. */
  readonly volume: string;
  /** The image, as if the container ran it: it is pulled like the container's own image. */
  readonly asked: Container;
}

function mountedImages({ spec }: Pod, container: Container): readonly MountedImage[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    // The shape of volumes has been checked; the type of `Volume` leaves sources open.
    const { image } = volume as { readonly image?: { readonly reference?: string; readonly pullPolicy?: string } };
    if (image === undefined || !(container.volumeMounts ?? []).some(({ name }) => name === volume.name)) return [];
    const { reference = '', pullPolicy } = image;
    const asked: Container = {
      name: container.name,
      image: reference,
      // Validation accepts no other value.
      ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy as 'Always' | 'IfNotPresent' | 'Never' }),
    };
    return [{ volume: volume.name, asked }];
  });
}

/**
 * Returns the user that the image sets for a container whose pod sets none. The runtime is asked again, without the
 * pod's annotations, as the kubelet does.
 */
export async function imageUser({ tools }: SyncAttempt, container: Container): Promise<Step<ImageUser>> {
  const status = await imageStatus(tools.runtime, { image: container.image ?? '' });
  if (status.ok) return { ok: true, value: (status.value && userOf(status.value)) ?? {} };
  const failure = { reason: 'CreateContainerConfigError', message: rpcErrorText(status.fault) };
  return stopAfter(status.fault) ?? failContainer(tools.reports, container.name, failure);
}

const userOf = ({ uid, username }: Image): ImageUser | undefined =>
  uid === undefined ? (username === '' ? undefined : { username }) : { uid: Number(uid.value) };
