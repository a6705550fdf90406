import type { PodFiles } from '../host/pod-files.ts';
import {
  beforeText,
  intentText,
  readBefore,
  readIntent,
  readRecord,
  recordFileName,
  type PulledRecord,
} from './pull-records.ts';
import { messageOf } from '../kube/text/message-of.ts';

type Files = Pick<PodFiles, 'list' | 'makeDirectory' | 'read' | 'removeEntry' | 'writeFile'> & {
  /** Replaces the target, whole or not at all. */
  readonly rename: (from: string, to: string) => void;
};

/**
 * The records of images on disk: begun pulls (`pulling`) and finished pulls with their credentials (`pulled`), both in
 * the kubelet's form. Beside them: the image that had the name before its pull began (`before`).
 */
export class RecordFiles {
  readonly #files: Files;
  readonly #pulling: string;
  readonly #pulled: string;
  /** The kubelet rejects intents with unknown members, so these records have a folder of their own. */
  readonly #before: string;

  constructor(files: Files, rootDir: string) {
    this.#files = files;
    this.#pulling = `${rootDir}/image_manager/pulling`;
    this.#pulled = `${rootDir}/image_manager/pulled`;
    this.#before = `${rootDir}/image_manager/before`;
  }

  record(imageRef: string): PulledRecord | undefined {
    return readRecord(this.#files.read(`${this.#pulled}/${recordFileName(imageRef)}`));
  }

  /**
   * `true` if the image with this `imageRef` may have come with a begun pull. It cannot if it had that name before the
   * pull began.
   */
  mayComeFromPull(image: string, imageRef: string): boolean {
    return this.#isBegun(image) && this.#hadBefore(image) !== imageRef;
  }

  /**
   * `present`: the runtime's present reference to the image; `undefined` when it is absent or unknown. An image that an
   * earlier intent may have brought does not count as present before. Returns the error, if any, like all writing
   * methods.
   */
  writeIntent(image: string, present: string | undefined): string | undefined {
    const before = !this.#isBegun(image) || this.#hadBefore(image) === present ? present : undefined;
    const name = recordFileName(image);
    const problem =
      before === undefined
        ? tried(() => this.#files.removeEntry(this.#before, name))
        : this.#write(this.#before, name, beforeText(image, before));
    return problem ?? this.#write(this.#pulling, name, intentText(image));
  }

  removeIntent(image: string): string | undefined {
    const name = recordFileName(image);
    return tried(() => {
      this.#files.removeEntry(this.#pulling, name);
      this.#files.removeEntry(this.#before, name);
    });
  }

  /** Returns images whose pulls had begun. Unreadable files name none and are removed. */
  intents(): readonly string[] {
    return this.#entries(this.#pulling).flatMap((name) => {
      const image = readIntent(this.#files.read(`${this.#pulling}/${name}`));
      if (image === undefined) tried(() => this.#files.removeEntry(this.#pulling, name));
      return image ?? [];
    });
  }

  writeRecord(record: PulledRecord, at: string): string | undefined {
    return this.#write(
      this.#pulled,
      recordFileName(record.imageRef),
      JSON.stringify({ ...record, lastUpdatedTime: at }),
    );
  }

  /** Removes the records of images that are gone: those older than `before` (RFC 3339) and not in `kept`. */
  removeRecords(kept: ReadonlySet<string>, before: string): void {
    for (const name of this.#entries(this.#pulled)) {
      const record = readRecord(this.#files.read(`${this.#pulled}/${name}`));
      if (record !== undefined && (kept.has(record.imageRef) || record.lastUpdatedTime >= before)) continue;
      tried(() => this.#files.removeEntry(this.#pulled, name));
    }
  }

  /** Returns the number of each. */
  counts(): { readonly intents: number; readonly records: number } {
    return { intents: this.#entries(this.#pulling).length, records: this.#entries(this.#pulled).length };
  }

  #isBegun(image: string): boolean {
    return this.#files.read(`${this.#pulling}/${recordFileName(image)}`) !== undefined;
  }

  #hadBefore(image: string): string | undefined {
    return readBefore(this.#files.read(`${this.#before}/${recordFileName(image)}`));
  }

  #entries(directory: string): readonly string[] {
    return this.#files.list(directory).filter((name) => name.startsWith('sha256-'));
  }

  #write(directory: string, name: string, text: string): string | undefined {
    return tried(() => {
      this.#files.makeDirectory(directory, 0o700);
      this.#files.writeFile(`${directory}/.${name}`, text, 0o600);
      this.#files.rename(`${directory}/.${name}`, `${directory}/${name}`);
    });
  }
}

function tried(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
