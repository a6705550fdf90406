import type { PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { Container } from '../../../src/kube/pod.ts';
import type { ImageVolume } from '../../../src/pod/cri-config/mounts.ts';
import { ensureImage } from './ensure-image.ts';
import type { Round } from './sync-attempt.ts';

/**
 * Pulls the images that a container mounts as volumes (KEP-4639), like the container's own image. Returns them by
 * volume name; the runtime mounts them. `undefined` when one is missing: the reason was recorded in the round.
 */
export async function imageVolumes(
  round: Round,
  container: Container,
  sandbox: PodSandboxConfig,
): Promise<ReadonlyMap<string, ImageVolume> | undefined> {
  const images = new Map<string, ImageVolume>();
  for (const volume of round.pod.spec.volumes ?? []) {
    const { image } = volume as { readonly image?: { readonly reference?: string; readonly pullPolicy?: string } };
    if (image === undefined || !(container.volumeMounts ?? []).some(({ name }) => name === volume.name)) continue;
    const { reference = '', pullPolicy } = image;
    const asked: Container = {
      name: container.name,
      image: reference,
      // Validation accepts no other value.
      ...(pullPolicy === undefined ? {} : { imagePullPolicy: pullPolicy as 'Always' | 'IfNotPresent' | 'Never' }),
    };
    const present = await ensureImage(round, asked, sandbox);
    round.tools.reports.metrics?.imageVolume(present === undefined ? 'failed' : 'mounted');
    if (present === undefined || !round.goesOn) return undefined;
    images.set(volume.name, { imageRef: present.ref, reference });
  }
  return images;
}
