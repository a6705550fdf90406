import type { WallMs } from '../../src/actor/clock.ts';

/** An image as listed by the runtime. */
export interface ListedImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  /** The runtime marks the image as needed, for example the sandbox image. */
  readonly pinned: boolean;
}

/** Record of an image, kept from pass to pass. Instants are wall-clock milliseconds; 0: before the first pass. */
export interface ImageRecord {
  readonly image: ListedImage;
  readonly firstSeen: WallMs;
  /** The last instant at which the image was seen in use; 0: never. */
  readonly lastUsed: WallMs;
}

export interface ImagePolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly minAgeMs: number;
  /** Age in milliseconds after which an unused image is removed; 0: never. */
  readonly maxAgeMs: number;
}

export interface ImageFilesystem {
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/**
 * Updates the records after another detection: adds new images, marks images in use, drops missing images. `newSince`: the
 * earliest instant since when an image without a record may have been present.
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
    readonly now: WallMs;
    readonly newSince: WallMs;
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
 * Removable images, the longest unused first (kubelet: image garbage collection). Excludes images that are in use,
 * pinned, or were used at the very instant of the detection.
 */
function candidates(records: ReadonlyMap<string, ImageRecord>, detectedAt: WallMs): readonly ImageRecord[] {
  return [...records.values()]
    .filter(({ image, lastUsed }) => !image.pinned && lastUsed < detectedAt)
    .sort((one, other) => one.lastUsed - other.lastUsed || one.firstSeen - other.firstSeen || order(one, other));
}

const order = (one: ImageRecord, other: ImageRecord): number => (one.image.id < other.image.id ? -1 : 1);

/** Images unused for longer than `maxAgeMs`. `since`: start of the records; earlier use is unknown. */
export function imagesTooOld(
  records: ReadonlyMap<string, ImageRecord>,
  {
    maxAgeMs,
    detectedAt,
    since,
  }: Pick<ImagePolicy, 'maxAgeMs'> & { readonly detectedAt: WallMs; readonly since: WallMs },
): readonly ImageRecord[] {
  if (maxAgeMs <= 0 || detectedAt - since <= maxAgeMs) return [];
  return candidates(records, detectedAt).filter(({ lastUsed, firstSeen }) => {
    const idleSince = Math.max(lastUsed, firstSeen, since);
    return detectedAt - idleSince > maxAgeMs;
  });
}

/** Images that may be removed to free space, in order of removal. */
export const imagesForSpace = (
  records: ReadonlyMap<string, ImageRecord>,
  { minAgeMs, detectedAt }: Pick<ImagePolicy, 'minAgeMs'> & { readonly detectedAt: WallMs },
): readonly ImageRecord[] =>
  candidates(records, detectedAt).filter(({ firstSeen }) => detectedAt - firstSeen >= minAgeMs);

export type Room =
  | { readonly type: 'enough' }
  | { readonly type: 'needed'; readonly bytes: number; readonly usagePercent: number }
  /** The file system reports a capacity of zero. */
  | { readonly type: 'no-capacity' };

/** Decides how much must be freed on the file system of images. */
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

/** `true` if neither a full disk nor an image's age can cause a removal. */
export const imagesStay = ({ highThresholdPercent, maxAgeMs }: ImagePolicy): boolean =>
  highThresholdPercent >= 100 && maxAgeMs <= 0;
