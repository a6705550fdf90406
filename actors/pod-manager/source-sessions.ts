import type { PodUid } from '../../src/kube/ids.ts';
import type { PodSource, PodSourceChange } from '../../src/pod/pod-source-change.ts';

/** What a message of a source is worth. */
export type Heard =
  /** Part of something whose beginning was not heard: of a life of this manager, or of the source, that is over. */
  | { readonly type: 'stale' }
  | { readonly type: 'more' }
  /** With this the source has named all it wants; `named` is all of that. */
  | { readonly type: 'all'; readonly named: ReadonlySet<PodUid> };

interface Session {
  readonly id: string;
  readonly named: Set<PodUid>;
  isComplete: boolean;
}

/** Keeps apart what sources say now and what they, or those before them, said once. */
export class SourceSessions {
  readonly #sources: readonly PodSource[];
  readonly #sessions = new Map<PodSource, Session>();
  readonly #complete = new Set<PodSource>();

  /** All that this agent has. Before each of them has named all it wants, nobody can tell what is not wanted. */
  constructor(sources: readonly PodSource[]) {
    this.#sources = sources;
  }

  hear({ source, session: id, begins, set, gone, complete }: PodSourceChange): Heard {
    if (begins) this.#sessions.set(source, { id, named: new Set(), isComplete: false });
    const session = this.#sessions.get(source);
    if (session?.id !== id) return { type: 'stale' };
    if (session.isComplete) return { type: 'more' };
    for (const uid of gone) session.named.delete(uid);
    for (const { metadata } of set) session.named.add(metadata.uid as PodUid);
    if (!complete) return { type: 'more' };
    session.isComplete = true;
    this.#complete.add(source);
    return { type: 'all', named: session.named };
  }

  /** Stays so once it is: a source that starts anew does not take back what it has said. */
  get allComplete(): boolean {
    return this.#sources.every((source) => this.#complete.has(source));
  }
}
