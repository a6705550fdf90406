import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, podKey, type Pod } from '../../src/kube/pod.ts';
import type { ParseOutcome } from '../job-pool/protocol.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';

/** What is known of one file. A file that cannot be used keeps the pod it last gave: half-written is not removed. */
interface KnownFile {
  /** Of the content that was parsed last; undefined while it could not be read. */
  readonly signature: string | undefined;
  readonly pod: Pod | undefined;
  readonly problem: string | undefined;
}

/** What an operator has to be told, once. */
export interface SourceWarning {
  readonly file: string;
  readonly problem: string;
  /** The pod in it, where that is not used because another file has one of its name. */
  readonly unused?: Pod;
}

/** What is to be kept where a crash does not reach it; `pod: undefined`: nothing any more. */
export interface Keeping {
  readonly file: string;
  readonly pod: Pod | undefined;
}

/** The files of the static pod folder and the pods in them. Knows nothing of the file system, or of time. */
export class StaticPodFiles {
  readonly #files = new Map<string, KnownFile>();
  /** By full name, the files that hold such a pod, in order; the first is the one that counts. */
  readonly #byName = new Map<string, readonly string[]>();
  /** By full name, what the pod manager was told. */
  readonly #told = new Map<string, Pod>();
  /** Full names of which something may have to be told: a change costs what has changed, not what there is. */
  readonly #dirty = new Set<string>();
  /** By file that cannot be used, the pod it last gave, as it lies in safe-keeping. */
  readonly #kept: Map<string, Pod>;
  #keepings = new Map<string, Pod | undefined>();
  /** Entries that are no regular file, and what they are. */
  readonly #leftOut = new Map<string, string>();
  /** By file, how many jobs in a row were lost that had this content to parse and no other. */
  readonly #losses = new Map<string, { readonly signature: string | undefined; readonly times: number }>();

  /** `kept`: what an earlier life of the source has put into safe-keeping. It counts only where a file proves unusable. */
  constructor(kept: ReadonlyMap<string, Pod> = new Map()) {
    this.#kept = new Map(kept);
  }

  /** Which of the listed files must be read: those that are new or have changed. */
  toParse(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...listed]
      .filter(([file, signature]) => this.#files.get(file)?.signature !== signature)
      .map(([file]) => file)
      .sort();
  }

  /** Files known that are not in the listing. */
  missingFrom(listed: ReadonlyMap<string, string>): readonly string[] {
    return [...new Set([...this.#files.keys(), ...this.#kept.keys()])].filter((file) => !listed.has(file));
  }

  /** Says which entries are no regular file, each once. `looked`: the files of this look, if it was not at everything. */
  leftOut(entries: ReadonlyMap<string, string>, looked?: Iterable<string>): readonly SourceWarning[] {
    for (const file of looked ?? [...this.#leftOut.keys()]) if (!entries.has(file)) this.#leftOut.delete(file);
    const news = [...entries].filter(([file, what]) => this.#leftOut.get(file) !== what);
    for (const [file, what] of news) this.#leftOut.set(file, what);
    return news.map(([file, what]) => ({ file, problem: `it is ${what}, and no regular file: it is left out` }));
  }

  /** Counts a job that was lost with this file alone. How many there were in a row, with the same content. */
  lost(file: string, signature: string | undefined): number {
    const before = this.#losses.get(file);
    const times = before !== undefined && before.signature === signature ? before.times + 1 : 1;
    this.#losses.set(file, { signature, times });
    return times;
  }

  /** The content of this file is unknown again: the next look reads it. */
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
      // What kept it from being read need not show in the signature when it is over: it is tried again with every look.
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
      this.#unindex(file, this.#files.get(file)?.pod);
      this.#files.delete(file);
      this.#losses.delete(file);
      this.#keep(file, undefined);
    }
  }

  /** What has to be kept, or need not be any more, since the last time this was asked. */
  keepings(): readonly Keeping[] {
    const keepings = [...this.#keepings].map(([file, pod]) => ({ file, pod }));
    this.#keepings = new Map();
    return keepings;
  }

  #keep(file: string, pod: Pod | undefined): void {
    if (this.#kept.get(file) === pod) return;
    if (pod === undefined) this.#kept.delete(file);
    else this.#kept.set(file, pod);
    this.#keepings.set(file, pod);
  }

  /** What has changed since the last time this was asked. */
  changes(): Pick<PodSourceChange, 'set' | 'gone'> {
    const set: Pod[] = [];
    const gone: PodUid[] = [];
    for (const name of this.#dirty) {
      const told = this.#told.get(name);
      const wanted = this.#wanted(name);
      if (told === wanted) continue;
      if (told !== undefined && told.metadata.uid !== wanted?.metadata.uid) gone.push(podUid(told.metadata.uid));
      if (wanted === undefined) {
        this.#told.delete(name);
      } else {
        set.push(wanted);
        this.#told.set(name, wanted);
      }
    }
    this.#dirty.clear();
    return { set, gone };
  }

  /** The listener has lost everything: the next changes are all there is. */
  forgetTold(): void {
    this.#told.clear();
    for (const name of this.#byName.keys()) this.#dirty.add(name);
  }

  #wanted(name: string): Pod | undefined {
    const file = this.#byName.get(name)?.[0];
    return file === undefined ? undefined : this.#files.get(file)?.pod;
  }

  /** Says which file is not used, where two hold a pod of the same name. */
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
