import type { ContainerImage } from '../../kube/node.ts';

export interface ImageFacts {
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: bigint;
}

/** The maximum number of names of one image in a node's status. */
const NAMES_AT_MOST = 5;

/**
 * Returns the images for a node's status: the largest first, at most `atMost`; -1 lists all. Digests go before tags.
 */
export function nodeImages(images: readonly ImageFacts[], atMost: number): readonly ContainerImage[] {
  const named = images
    .map(({ repoTags, repoDigests, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, NAMES_AT_MOST),
      sizeBytes: Number(size),
    }))
    // Pods cannot refer to an image without a name.
    .filter(({ names }) => names.length > 0);
  // Equal sizes are sorted by name: the runtime's order may change between calls, and that must not count as a change.
  const order = (one: ContainerImage, other: ContainerImage): number =>
    other.sizeBytes - one.sizeBytes || (String(one.names) < String(other.names) ? -1 : 1);
  const sorted = named.sort(order);
  return atMost < 0 ? sorted : sorted.slice(0, atMost);
}
