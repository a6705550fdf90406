import type { ContainerImage } from '../../kube/node.ts';

export interface ImageFacts {
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: bigint;
}

/** More names than these an image does not have in a node's status. */
const NAMES_AT_MOST = 5;

/** The images a node's status lists: the largest first, at most so many; -1 lists all. Digests go before tags. */
export function nodeImages(images: readonly ImageFacts[], atMost: number): readonly ContainerImage[] {
  const named = images
    .map(({ repoTags, repoDigests, size }) => ({
      names: [...repoDigests, ...repoTags].slice(0, NAMES_AT_MOST),
      sizeBytes: Number(size),
    }))
    // Without a name no pod can ask for it.
    .filter(({ names }) => names.length > 0);
  // Equal sizes in the order of their names: the runtime's order may be another each time, and that is no news.
  const order = (one: ContainerImage, other: ContainerImage): number =>
    other.sizeBytes - one.sizeBytes || (String(one.names) < String(other.names) ? -1 : 1);
  const sorted = named.sort(order);
  return atMost < 0 ? sorted : sorted.slice(0, atMost);
}
