import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, podKey, type Pod } from '../../src/kube/pod.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';

/** The record of one file. An unusable file keeps the pod it last gave: a half-written file is not a removed one. */
interface KnownFile {
  /** Signature of the content parsed last; `undefined` while the file could not be read. */
  readonly signature: string | undefined;
  readonly pod: Pod | undefined;
  readonly problem: string | undefined;
}

/** A warning for the operator, logged once. */
export interface SourceWarning {
  readonly file: string;
  readonly problem: string;
  /** The pod in the file, when another file with a pod of the same name takes precedence. */
  readonly unused?: Pod;
}

/** A pod to save on disk; `pod: undefined` removes the saved pod. */
export interface SavedPodWrite {
  readonly file: string;
  readonly pod: Pod | undefined;
}

/** The files of the static pod folder and their pods. Uses neither file system nor clock. */
export class StaticPodFiles {
  readonly #files = new Map<string, KnownFile>();
  /** By full name, the files with such a pod, in order. The first file counts. */
  readonly #byName = new Map<string, readonly string[]>();
  /** By full name, the pod last sent to the pod manager. */
  readonly #reported = new Map<string, Pod>();
  /** Full names whose reported pod lost its file since. */
  readonly #withdrawn = new Set<string>();
  /** Full names that may have changed since: the cost of a change does not depend on the number of files. */
  readonly #dirty = new Set<string>();
  /** By unusable file, the pod it last gave, as saved on disk. */
  readonly #kept: Map<string, Pod>;
  #keepings = new Map<string, Pod | undefined>();
  /** Entries that are not regular files, with their kind. */
  readonly #leftOut = new Map<string, string>();
  /** By file, how many jobs in a row were lost with this content alone. */
  readonly #losses = new Map<string, { readonly signature: string | undefined; readonly times: number }>();

  /** `kept`: pods saved by an earlier incarnation. A saved pod counts only when its file proves unusable. */
  constructor(kept: ReadonlyMap<string, Pod> = new Map()) {
    this.#kept = new Map(kept);
  }

  /** Returns the listed files that are new or have changed. */
  toParse(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...listed]
      .filter(([file, signature]) => this.#files.get(file)?.signature !== signature)
      .map(([file]) => file)
      .sort();
  }

  /** Returns the known files that are not in the listing. */
  missingFrom(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...new Set([...this.#files.keys(), ...this.#kept.keys()])].filter((file) => !listed.has(file));
  }

  /**
   * Returns the entries that are not regular files, each once. `looked`: the files of this look, if it did not cover
   * everything.
   */
  leftOut(entries: ReadonlyMap<string, string>, looked?: Iterable<string>): readonly SourceWarning[] {
    for (const file of looked ?? [...this.#leftOut.keys()]) if (!entries.has(file)) this.#leftOut.delete(file);
    const newlyIgnored = [...entries].filter(([file, what]) => this.#leftOut.get(file) !== what);
    for (const [file, what] of newlyIgnored) this.#leftOut.set(file, what);
    return newlyIgnored.map(([file, what]) => ({
      file,
      problem: `ignoring the entry: it is ${what}, not a regular file`,
    }));
  }

  /** Counts a job that was lost with this file alone. Returns how many were lost in a row with the same content. */
  lost(file: string, signature: string | undefined): number {
    const before = this.#losses.get(file);
    const times = before !== undefined && before.signature === signature ? before.times + 1 : 1;
    this.#losses.set(file, { signature, times });
    return times;
  }

  /** Drops the known content of the file: the next look reads it again. */
  forgetContent(file: string): void {
    const known = this.#files.get(file);
    if (known !== undefined) this.#files.set(file, { ...known, signature: undefined });
  }

  parsed(outcomes: readonly ParseOutcome[], signatures: ReadonlyMap<string, string>): readonly SourceWarning[] {
    return outcomes.flatMap((outcome) => {
      const file = outcome.path;
      const before = this.#files.get(file);
      const signature = signatures.get(file);
      this.#losses.delete(file);
      if (outcome.ok) {
        this.#unindex(file, before?.pod);
        this.#files.set(file, { signature, pod: outcome.pod, problem: undefined });
        this.#keep(file, undefined);
        return this.#index(file, outcome.pod);
      }
      // The cause of a read error may end without a new signature, so the file is read again at every look.
      const isRead = outcome.fault !== 'unreadable';
      const pod = before?.pod ?? this.#kept.get(file);
      this.#files.set(file, { signature: isRead ? signature : undefined, pod, problem: outcome.problem });
      this.#keep(file, pod);
      const isTakenUp = pod !== undefined && before?.pod === undefined;
      return [
        ...(isTakenUp ? this.#index(file, pod) : []),
        ...(before?.problem === outcome.problem ? [] : [{ file, problem: outcome.problem }]),
      ];
    });
  }

  removed(files: readonly string[]): void {
    for (const file of files) {
      const pod = this.#files.get(file)?.pod;
      if (pod !== undefined && this.#reported.get(podFullName(pod)) === pod) this.#withdrawn.add(podFullName(pod));
      this.#unindex(file, pod);
      this.#files.delete(file);
      this.#losses.delete(file);
      this.#keep(file, undefined);
    }
  }

  /** Returns the changes to the saved pods since the last call. */
  savedPodWrites(): readonly SavedPodWrite[] {
    const savedPodWrites = [...this.#keepings].map(([file, pod]) => ({ file, pod }));
    this.#keepings = new Map();
    return savedPodWrites;
  }

  #keep(file: string, pod: Pod | undefined): void {
    if (this.#kept.get(file) === pod) return;
    if (pod === undefined) this.#kept.delete(file);
    else this.#kept.set(file, pod);
    this.#keepings.set(file, pod);
  }

  /** Returns the changes since the last call. A pod that lost its file is gone, even if another file has it now. */
  changes(): Pick<PodSourceChange, 'set' | 'gone'> {
    const set: Pod[] = [];
    const gone: PodUid[] = [];
    for (const name of this.#dirty) {
      const reported = this.#reported.get(name);
      const wanted = this.#wanted(name);
      if (reported === wanted) continue;
      const isGone = this.#withdrawn.delete(name) || reported?.metadata.uid !== wanted?.metadata.uid;
      if (reported !== undefined && isGone) gone.push(podUid(reported.metadata.uid));
      if (wanted === undefined) {
        this.#reported.delete(name);
      } else {
        set.push(wanted);
        this.#reported.set(name, wanted);
      }
    }
    this.#dirty.clear();
    return { set, gone };
  }

  /** The pod manager has lost its state: the next changes include everything. */
  forgetReported(): void {
    this.#reported.clear();
    this.#withdrawn.clear();
    for (const name of this.#byName.keys()) this.#dirty.add(name);
  }

  #wanted(name: string): Pod | undefined {
    const file = this.#byName.get(name)?.[0];
    return file === undefined ? undefined : this.#files.get(file)?.pod;
  }

  /** Returns a warning about the ignored file, when two files hold a pod of the same name. */
  #index(file: string, pod: Pod): readonly SourceWarning[] {
    const name = podFullName(pod);
    const files = [...(this.#byName.get(name) ?? []), file].sort();
    this.#byName.set(name, files);
    this.#dirty.add(name);
    const [first = file, second] = files;
    if (second === undefined) return [];
    const ignored = first === file ? second : file;
    const unused = first === file ? this.#files.get(second)?.pod : pod;
    const problem = `pod ${podKey(pod)} is already defined in ${first}; this file is ignored`;
    return [{ file: ignored, problem, ...(unused !== undefined && { unused }) }];
  }

  #unindex(file: string, pod: Pod | undefined): void {
    if (pod === undefined) return;
    const name = podFullName(pod);
    const rest = this.#byName.get(name)?.filter((other) => other !== file) ?? [];
    if (rest.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, rest);
    this.#dirty.add(name);
  }
}
