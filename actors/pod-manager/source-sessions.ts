import type { PodUid } from '../../src/kube/ids.ts';
import {
  compareSessions,
  type PodSource,
  type PodSourceChange,
  type SourceSession,
} from '../../src/pod/source/pod-source-change.ts';

/** What a message of a source is worth. */
export type Heard =
  /** Heard before, or of a session that is over. */
  | { readonly type: 'stale' }
  /** Part of something of which an earlier part was not heard: the source has to say everything again. */
  | { readonly type: 'incomplete' }
  | { readonly type: 'more' }
  /** With this the source has named all it wants; `named` is all of that. */
  | { readonly type: 'all'; readonly named: ReadonlySet<PodUid> };

interface Session {
  readonly id: SourceSession;
  heard: number;
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

  hear({ source, session: id, number, set, gone, complete }: PodSourceChange): Heard {
    const before = this.#sessions.get(source);
    const age = before === undefined ? 1 : compareSessions(id, before.id);
    if (before !== undefined && (age < 0 || (age === 0 && number <= before.heard))) return { type: 'stale' };
    const session =
      before !== undefined && age === 0 ? before : { id, heard: 0, named: new Set<PodUid>(), isComplete: false };
    if (number !== session.heard + 1) return { type: 'incomplete' };
    session.heard = number;
    this.#sessions.set(source, session);
    if (session.isComplete) return { type: 'more' };
    for (const uid of gone) session.named.delete(uid);
    for (const { metadata } of set) session.named.add(metadata.uid as PodUid);
    if (!complete) return { type: 'more' };
    session.isComplete = true;
    this.#complete.add(source);
    return { type: 'all', named: session.named };
  }

  isComplete(source: PodSource): boolean {
    return this.#complete.has(source);
  }

  /** Stays so once it is: a source that starts anew does not take back what it has said. */
  get allComplete(): boolean {
    return this.#sources.every((source) => this.#complete.has(source));
  }
}
