import type {
  ImageFsInfoResponse,
  ImageStatusRequest,
  ImageStatusResponse,
  ListImagesRequest,
  ListImagesResponse,
  PullImageRequest,
  PullImageResponse,
  RemoveImageRequest,
  RemoveImageResponse,
} from '../../../cri/gen/api.ts';
import { type Caller, patientCaller, pauseFor } from './caller.ts';
import { cancelled, type RuntimeContext, scriptedError } from '../runtime-context.ts';
import { RuntimeError } from '../runtime-error.ts';
import { scriptedPulls } from '../script/script.ts';

/** The calls of the CRI image service, with the messages of the wire. They throw {@link RuntimeError}s. */
export class ImageCalls {
  readonly #context: RuntimeContext;
  readonly #mountpoint: string;

  /** @param mountpoint the reported mount point of the image file system */
  constructor(context: RuntimeContext, mountpoint: string) {
    this.#context = context;
    this.#mountpoint = mountpoint;
  }

  listImages(request: ListImagesRequest): ListImagesResponse {
    const wanted = request.filter?.image?.image;
    if (!wanted) return { images: this.#context.images.all() };
    const image = this.#context.images.find(wanted);
    return { images: image ? [image] : [] };
  }

  /** An absent image is an answer without an image, not an error. */
  imageStatus(request: ImageStatusRequest): ImageStatusResponse {
    return { image: this.#context.images.find(request.image?.image ?? ''), info: {} };
  }

  async pullImage(request: PullImageRequest, caller: Caller = patientCaller): Promise<PullImageResponse> {
    const { clock, counters, defaults, images, script } = this.#context;
    const reference = request.image?.image ?? '';
    const name = images.nameOf(reference);
    if (!name) throw new RuntimeError('InvalidArgument', `"${reference}" is not an image name`);
    const outcome = counters.take(`image/${name}`, scriptedPulls(script(), name) ?? defaults.pull);
    if ((await pauseFor(clock, outcome.delayMs, caller)) === 'gone') throw cancelled(`pulling image "${name}"`);
    if (outcome.auth !== undefined && request.auth?.username !== outcome.auth) {
      throw new RuntimeError(outcome.code ?? 'Unknown', `pull access denied for ${name}: authorization failed`);
    }
    if (outcome.action === 'err') throw scriptedError(outcome);
    return { imageRef: images.add(name).id };
  }

  removeImage(request: RemoveImageRequest): RemoveImageResponse {
    this.#context.images.remove(request.image?.image ?? '');
    return {};
  }

  imageFsInfo(): ImageFsInfoResponse {
    const images = this.#context.images.all();
    const usage = {
      timestamp: this.#context.nanoseconds(),
      fsId: { mountpoint: this.#mountpoint },
      usedBytes: { value: images.reduce((sum, image) => sum + image.size, 0n) },
      inodesUsed: { value: BigInt(images.length) },
    };
    return { imageFilesystems: [usage], containerFilesystems: [usage] };
  }
}
