import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, podKey, type Pod } from '../../src/kube/pod.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';
import type { PodSourceChange } from './protocol.ts';

/** What is known of one file. A file that cannot be used keeps the pod it last gave: half-written is not removed. */
interface KnownFile {
  /** Of the content that was parsed last; undefined until it has been. */
  readonly signature: string | undefined;
  readonly pod: Pod | undefined;
  readonly problem: string | undefined;
}

/** What an operator has to be told, once. */
export interface SourceWarning {
  readonly file: string;
  readonly problem: string;
}

/** The files of the static pod folder and the pods in them. Knows nothing of the file system, or of time. */
export class StaticPodFiles {
  readonly #files = new Map<string, KnownFile>();
  /** Files that hold a pod of this full name; the first by name is the one that counts. */
  readonly #byName = new Map<string, string[]>();
  /** What the pod manager was told. */
  readonly #told = new Map<PodUid, Pod>();

  /** Which of the listed files must be read: those that are new or have changed. */
  toParse(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...listed]
      .filter(([file, signature]) => this.#files.get(file)?.signature !== signature)
      .map(([file]) => file)
      .sort();
  }

  /** Files known that are not in the listing. */
  missingFrom(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...this.#files.keys()].filter((file) => !listed.has(file));
  }

  parsed(outcomes: readonly ParseOutcome[], signatures: ReadonlyMap<string, string>): readonly SourceWarning[] {
    const warnings: SourceWarning[] = [];
    for (const outcome of outcomes) {
      const file = outcome.path;
      const before = this.#files.get(file);
      const signature = signatures.get(file);
      if (!outcome.ok) {
        if (before?.problem !== outcome.problem) warnings.push({ file, problem: outcome.problem });
        this.#files.set(file, { signature, pod: before?.pod, problem: outcome.problem });
        continue;
      }
      this.#unindex(file, before?.pod);
      this.#files.set(file, { signature, pod: outcome.pod, problem: undefined });
      const sameName = this.#index(file, outcome.pod);
      const [first] = sameName;
      if (first !== undefined && first !== file) {
        warnings.push({
          file,
          problem: `pod ${podKey(outcome.pod)} is already defined in ${first}; this file is ignored`,
        });
      }
    }
    return warnings;
  }

  removed(files: readonly string[]): void {
    for (const file of files) {
      this.#unindex(file, this.#files.get(file)?.pod);
      this.#files.delete(file);
    }
  }

  /** What has changed since the last time this was asked. */
  changes(complete: boolean): PodSourceChange | undefined {
    const wanted = new Map<PodUid, Pod>();
    for (const [file] of this.#byName.values()) {
      const pod = file === undefined ? undefined : this.#files.get(file)?.pod;
      if (pod !== undefined) wanted.set(podUid(pod.metadata.uid), pod);
    }
    const gone = [...this.#told.keys()].filter((uid) => !wanted.has(uid));
    // A file parsed again gives a new object; the same object was told before.
    const set = [...wanted].filter(([uid, pod]) => this.#told.get(uid) !== pod).map(([, pod]) => pod);
    for (const uid of gone) this.#told.delete(uid);
    for (const pod of set) this.#told.set(podUid(pod.metadata.uid), pod);
    if (gone.length === 0 && set.length === 0 && !complete) return undefined;
    return { type: 'source-changed', source: 'file', set, gone, complete };
  }

  /** The listener has lost everything: the next changes are all there is. */
  forgetTold(): void {
    this.#told.clear();
  }

  #index(file: string, pod: Pod): readonly string[] {
    const files = [...(this.#byName.get(podFullName(pod)) ?? []), file].sort();
    this.#byName.set(podFullName(pod), files);
    return files;
  }

  #unindex(file: string, pod: Pod | undefined): void {
    if (pod === undefined) return;
    const rest = this.#byName.get(podFullName(pod))?.filter((other) => other !== file) ?? [];
    if (rest.length === 0) this.#byName.delete(podFullName(pod));
    else this.#byName.set(podFullName(pod), rest);
  }
}
