import type { PodUid } from '../../src/kube/ids.ts';
import {
  compareSessions,
  type PodSource,
  type PodSourceChange,
  type SourceSession,
} from '../../src/pod/source/pod-source-change.ts';

/** How a source's message is to be treated. */
export type ReceivedChange =
  /** The message is a duplicate, or its session is over. */
  | { readonly type: 'stale' }
  /** An earlier part was lost: the source must send everything again. */
  | { readonly type: 'incomplete' }
  | { readonly type: 'more' }
  /** With this message the source has named all pods it wants; `named` is all of them. */
  | { readonly type: 'all'; readonly named: ReadonlySet<PodUid> };

interface Session {
  readonly id: SourceSession;
  lastNumber: number;
  readonly named: Set<PodUid>;
  isComplete: boolean;
}

/** Separates the current messages of a source from those of its earlier sessions and incarnations. */
export class SourceSessions {
  readonly #sources: readonly PodSource[];
  readonly #sessions = new Map<PodSource, Session>();
  readonly #complete = new Set<PodSource>();

  /** `sources`: all pod sources of this agent. Unwanted pods are unknown until each source has named all it wants. */
  constructor(sources: readonly PodSource[]) {
    this.#sources = sources;
  }

  receive({ source, session: id, number, set, gone, complete }: PodSourceChange): ReceivedChange {
    const before = this.#sessions.get(source);
    const age = before === undefined ? 1 : compareSessions(id, before.id);
    if (before !== undefined && (age < 0 || (age === 0 && number <= before.lastNumber))) return { type: 'stale' };
    const session =
      before !== undefined && age === 0 ? before : { id, lastNumber: 0, named: new Set<PodUid>(), isComplete: false };
    if (number !== session.lastNumber + 1) return { type: 'incomplete' };
    session.lastNumber = number;
    this.#sessions.set(source, session);
    if (session.isComplete) return { type: 'more' };
    for (const uid of gone) session.named.delete(uid);
    // The source has checked the UIDs of its pods.
    for (const { metadata } of set) session.named.add(metadata.uid as PodUid);
    if (!complete) return { type: 'more' };
    session.isComplete = true;
    this.#complete.add(source);
    return { type: 'all', named: session.named };
  }

  isComplete(source: PodSource): boolean {
    return this.#complete.has(source);
  }

  /** Stays `true`: a source that restarts does not withdraw its pods. */
  get allComplete(): boolean {
    return this.#sources.every((source) => this.#complete.has(source));
  }
}
