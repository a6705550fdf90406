import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { PodOnNode, PodsOnNode } from './protocol.ts';
import type { Worker } from './worker-record.ts';

/** Returns the stage of every known pod, for the actors that clean up after pods. */
export function podsOnNode({
  knowsAll,
  desired,
  workers,
  objects,
  doubted,
}: {
  readonly knowsAll: boolean;
  readonly desired: ReadonlyMap<PodUid, Pod>;
  readonly workers: ReadonlyMap<PodUid, Worker>;
  readonly objects: { isOver(uid: PodUid): boolean };
  /** Pods that no source names and that the API may have. */
  readonly doubted: readonly PodUid[];
}): PodsOnNode {
  const pods: PodOnNode[] = [];
  for (const [uid, worker] of workers) pods.push({ podUid: uid, life: lifeOf(worker), ...imagesOf(worker.pod) });
  for (const [uid, pod] of desired) {
    if (workers.has(uid)) continue;
    pods.push(objects.isOver(uid) ? { podUid: uid, life: 'over' } : { podUid: uid, life: 'living', ...imagesOf(pod) });
  }
  for (const uid of doubted) if (!workers.has(uid) && !desired.has(uid)) pods.push({ podUid: uid, life: 'living' });
  return { knowsAll, pods };
}

function lifeOf({ stage, eviction }: Worker): PodOnNode['life'] {
  if (stage !== 'ended') return stage === 'going' ? 'going' : 'living';
  return eviction === undefined ? 'ended' : 'evicted';
}

function imagesOf(pod: Pod | undefined): Pick<PodOnNode, 'imageVolumes'> {
  const images = (pod?.spec.volumes ?? []).flatMap((volume) => {
    // The shape of volumes has been checked; the type of `Volume` leaves sources open.
    const { image } = volume as { readonly image?: { readonly reference?: string } };
    return image?.reference === undefined ? [] : [image.reference];
  });
  return images.length === 0 ? {} : { imageVolumes: images };
}
