import type { WallMs } from '../../src/actor/clock.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { rpcErrorText } from '../../src/cri/fault.ts';
import type { Image } from '../../src/cri/gen/api.ts';
import type { PodsOnNode } from '../pod-manager/protocol.ts';
import type { Budget } from './budget.ts';
import { listRuntime, orFail, PassFailed } from './list-runtime.ts';
import type { GarbageMetrics } from './metrics.ts';
import {
  imagesForSpace,
  imagesSeen,
  imagesStay,
  imagesTooOld,
  roomNeeded,
  type ImageFilesystem,
  type ImagePolicy,
  type ImageRecord,
  type ListedImage,
} from './plan-images.ts';
import type { PassOutcome } from './protocol.ts';
import { sandboxImages } from './sandbox-images.ts';

export interface ImageTools {
  readonly cri: CriClient;
  readonly podsOnNode: () => Promise<PodsOnNode>;
  /** Capacity and free space of the file system that holds this path. */
  readonly filesystemOf: (path: string) => Promise<ImageFilesystem>;
  readonly policy: ImagePolicy;
  readonly metrics: GarbageMetrics;
  readonly nodeEvent: (event: { readonly reason: string; readonly message: string }) => void;
  readonly now: () => WallMs;
}

const BACKGROUND = { lane: 'background' } as const;

/** Records of this node's images, kept from pass to pass. They do not outlive the actor. */
export class KnownImages {
  readonly #tools: ImageTools;
  /** Start of the records. Earlier use is unknown, so no image counts as idle since before this instant. */
  readonly #since: WallMs;
  #records = new Map<string, ImageRecord>();
  #hasDetected = false;

  constructor(tools: ImageTools) {
    this.#tools = tools;
    this.#since = tools.now();
  }

  /**
   * Removes images that are too old, then as many others as bring disk usage below the threshold. Throws `PassFailed`.
   */
  async collect(budget: Budget): Promise<PassOutcome> {
    const { policy, cri } = this.#tools;
    if (imagesStay(policy)) return { ok: true, more: false };
    const detectedAt = await this.#detectImages();
    const tooOld = imagesTooOld(this.#records, { maxAgeMs: policy.maxAgeMs, detectedAt, since: this.#since });
    const aged = await this.#remove(tooOld, { reason: 'age', budget, bytes: Number.POSITIVE_INFINITY });
    if (aged.problem !== undefined) return { ok: false, problem: aged.problem };
    if (policy.highThresholdPercent >= 100) return { ok: true, more: aged.isOut };

    const { imageFilesystems } = orFail(
      await cri.call('ImageFsInfo', {}, BACKGROUND),
      'reading the file system of images from the runtime',
    );
    const path = imageFilesystems[0]?.fsId?.mountpoint ?? '';
    if (!path.startsWith('/')) throw new PassFailed('the runtime reports no mount point of its images');
    const room = roomNeeded(await this.#filesystemOf(path), policy);
    if (room.type === 'enough') return { ok: true, more: aged.isOut };
    if (room.type === 'no-capacity') {
      const problem = 'invalid capacity 0 on image filesystem';
      this.#tools.nodeEvent({ reason: 'InvalidDiskCapacity', message: problem });
      return { ok: false, problem };
    }
    const unused = imagesForSpace(this.#records, { minAgeMs: policy.minAgeMs, detectedAt });
    const { freed, isOut, problem } = await this.#remove(unused, { reason: 'space', budget, bytes: room.bytes });
    if (problem !== undefined) return { ok: false, problem };
    if (freed >= room.bytes || isOut) return { ok: true, more: isOut };
    const message =
      `Failed to garbage collect required amount of images. Attempted to free ${room.bytes} bytes, ` +
      `but only found ${freed} bytes eligible to free.`;
    this.#tools.nodeEvent({ reason: 'FreeDiskSpaceFailed', message });
    return { ok: false, problem: message };
  }

  /** Removes every unused image that is old enough. Throws `PassFailed`. */
  async removeUnused(budget: Budget): Promise<PassOutcome> {
    const detectedAt = await this.#detectImages();
    const unused = imagesForSpace(this.#records, { minAgeMs: this.#tools.policy.minAgeMs, detectedAt });
    const bytes = Number.POSITIVE_INFINITY;
    const { problem, isOut } = await this.#remove(unused, { reason: 'space', budget, bytes });
    return problem === undefined ? { ok: true, more: isOut } : { ok: false, problem };
  }

  /** Updates the records. Returns the instant that images in use are marked with. */
  async #detectImages(): Promise<number> {
    const { cri, now } = this.#tools;
    const images = orFail(await cri.call('ListImages', { filter: undefined }, BACKGROUND), 'listing images').images;
    const { imagesInUse } = await listRuntime(cri);
    const inUse = new Set([...imagesInUse, ...(await this.#neededOtherwise())]);
    const detectedAt = now();
    // At the first detection it is known only that an image was not pulled later.
    const newSince = this.#hasDetected ? detectedAt : this.#since;
    this.#hasDetected = true;
    this.#records = imagesSeen(this.#records, { images: images.map(listedImage), inUse, now: detectedAt, newSince });
    return detectedAt;
  }

  /** Images needed without a container: image volumes of pods, and the runtime's sandbox image. */
  async #neededOtherwise(): Promise<readonly string[]> {
    const { cri, podsOnNode } = this.#tools;
    const { knowsAll, pods } = await podsOnNode();
    if (!knowsAll) throw new PassFailed('image volumes are unknown until all pods are known');
    const { info } = orFail(
      await cri.call('Status', { verbose: true }, BACKGROUND),
      'reading the sandbox image from the runtime',
    );
    const names = new Set([...pods.flatMap(({ imageVolumes = [] }) => imageVolumes), ...sandboxImages(info)]);
    const ids: string[] = [];
    for (const reference of names) {
      const outcome = await cri.call(
        'ImageStatus',
        {
          image: { image: reference, annotations: {}, imageRef: '', userSpecifiedImage: '', runtimeHandler: '' },
          verbose: false,
        },
        BACKGROUND,
      );
      const { image } = orFail(outcome, `reading the status of needed image ${reference}`);
      if (image !== undefined) ids.push(image.id);
    }
    return ids;
  }

  async #filesystemOf(path: string): Promise<ImageFilesystem> {
    try {
      return await this.#tools.filesystemOf(path);
    } catch (error) {
      throw new PassFailed(`reading the file system of images failed: ${String(error)}`);
    }
  }

  async #remove(
    images: readonly ImageRecord[],
    { reason, budget, bytes }: { readonly reason: 'age' | 'space'; readonly budget: Budget; readonly bytes: number },
  ): Promise<{ readonly freed: number; readonly isOut: boolean; readonly problem: string | undefined }> {
    const { cri, metrics } = this.#tools;
    const problems: string[] = [];
    let freed = 0;
    let isOut = false;
    for (const { image } of images) {
      if (freed >= bytes) break;
      if (!budget.take()) {
        isOut = true;
        break;
      }
      const spec = { image: image.id, annotations: {}, imageRef: '', userSpecifiedImage: '', runtimeHandler: '' };
      const outcome = await cri.call('RemoveImage', { image: spec }, BACKGROUND);
      if (!outcome.ok && outcome.fault.code !== 'NOT_FOUND') {
        problems.push(rpcErrorText(outcome.fault));
        continue;
      }
      this.#records.delete(image.id);
      freed += image.sizeBytes;
      metrics.imageCollected(reason);
    }
    const problem =
      problems.length === 0
        ? undefined
        : `wanted to free ${bytes} bytes, but freed ${freed} bytes space with errors in image deletion: ${problems.join('; ')}`;
    return { freed, isOut, problem };
  }
}

const listedImage = ({ id, repoTags, repoDigests, size, pinned }: Image): ListedImage => ({
  id,
  repoTags,
  repoDigests,
  sizeBytes: Number(size),
  pinned,
});
