/** An image as the runtime lists it. */
export interface ListedImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  /** The runtime says that it must stay: the sandbox image, for one. */
  readonly pinned: boolean;
}

/** What is remembered of an image from one look to the next. Instants are wall-clock milliseconds; 0: before the first look. */
export interface ImageRecord {
  readonly image: ListedImage;
  readonly firstSeen: number;
  /** When it was last seen in use; 0: never. */
  readonly lastUsed: number;
}

export interface ImagePolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly minAgeMs: number;
  /** 0: an image may be unused for as long as it likes. */
  readonly maxAgeMs: number;
}

export interface ImageFilesystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/**
 * What the records are after another look: what is new, what is in use, what is gone. `newSince`: since when an image may have been
 * there that no look before has seen.
 */
export function imagesSeen(
  before: ReadonlyMap<string, ImageRecord>,
  {
    images,
    inUse,
    now,
    newSince,
  }: {
    readonly images: readonly ListedImage[];
    readonly inUse: ReadonlySet<string>;
    readonly now: number;
    readonly newSince: number;
  },
): Map<string, ImageRecord> {
  return new Map(
    images.map((image) => {
      const known = before.get(image.id);
      const isUsed = [image.id, ...image.repoTags, ...image.repoDigests].some((name) => inUse.has(name));
      return [
        image.id,
        { image, firstSeen: known?.firstSeen ?? newSince, lastUsed: isUsed ? now : (known?.lastUsed ?? 0) },
      ] as const;
    }),
  );
}

/**
 * What may be removed at all, that which was used longest ago first (kubelet: image garbage collection): nothing that is in use,
 * pinned, or was used in the very moment of the look.
 */
function candidates(records: ReadonlyMap<string, ImageRecord>, lookedAt: number): readonly ImageRecord[] {
  return [...records.values()]
    .filter(({ image, lastUsed }) => !image.pinned && lastUsed < lookedAt)
    .sort((one, other) => one.lastUsed - other.lastUsed || one.firstSeen - other.firstSeen || order(one, other));
}

const order = (one: ImageRecord, other: ImageRecord): number => (one.image.id < other.image.id ? -1 : 1);

/** Images that nobody has used for longer than they may lie about. `since`: what was before is not known. */
export function imagesTooOld(
  records: ReadonlyMap<string, ImageRecord>,
  { maxAgeMs, lookedAt, since }: Pick<ImagePolicy, 'maxAgeMs'> & { readonly lookedAt: number; readonly since: number },
): readonly ImageRecord[] {
  if (maxAgeMs <= 0 || lookedAt - since <= maxAgeMs) return [];
  return candidates(records, lookedAt).filter(({ lastUsed, firstSeen }) => {
    const idleSince = Math.max(lastUsed, firstSeen, since);
    return lookedAt - idleSince > maxAgeMs;
  });
}

/** Images that may be removed to make room, in order. */
export const imagesForSpace = (
  records: ReadonlyMap<string, ImageRecord>,
  { minAgeMs, lookedAt }: Pick<ImagePolicy, 'minAgeMs'> & { readonly lookedAt: number },
): readonly ImageRecord[] => candidates(records, lookedAt).filter(({ firstSeen }) => lookedAt - firstSeen >= minAgeMs);

export type Room =
  | { readonly type: 'enough' }
  | { readonly type: 'needed'; readonly bytes: number; readonly usagePercent: number }
  /** The file system says that it holds nothing. */
  | { readonly type: 'no-capacity' };

/** How much is to be freed on the file system of the images. */
export function roomNeeded(
  { capacityBytes, availableBytes }: ImageFilesystem,
  { highThresholdPercent, lowThresholdPercent }: ImagePolicy,
): Room {
  if (capacityBytes <= 0) return { type: 'no-capacity' };
  const available = Math.min(availableBytes, capacityBytes);
  const usagePercent = 100 - Math.floor((available * 100) / capacityBytes);
  if (usagePercent < highThresholdPercent) return { type: 'enough' };
  const bytes = Math.floor((capacityBytes * (100 - lowThresholdPercent)) / 100) - available;
  return { type: 'needed', bytes, usagePercent };
}

/** Neither full disks nor old images are anything to act on. */
export const imagesStay = ({ highThresholdPercent, maxAgeMs }: ImagePolicy): boolean =>
  highThresholdPercent >= 100 && maxAgeMs <= 0;
