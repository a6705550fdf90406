import type { PodUid } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';

/** Where pods come from. Each has an actor `pod-source-<name>`, and its name in the annotation `kubernetes.io/config.source`. */
export type PodSource = 'file' | 'http' | 'api';

/** Of the source's incarnations, and of its sessions in one, later ones are larger. */
export type SourceSession = readonly [incarnation: number, number: number];

/** Below 0: the first is the earlier one. 0: they are the same. */
export const compareSessions = (one: SourceSession, other: SourceSession): number =>
  one[0] - other[0] || one[1] - other[1];

/** What a pod source tells the pod manager: one message holds only what has changed. */
export interface PodSourceChange {
  readonly type: 'source-changed';
  readonly source: PodSource;
  /**
   * A session begins when either side starts anew, and tells everything from the start; later ones are larger. A message of a
   * session of which an earlier one was not heard is only a part of something: it must not be used.
   */
  readonly session: SourceSession;
  /** From 1 on, without a gap: messages may get lost, or overtake each other. */
  readonly number: number;
  readonly set: readonly Pod[];
  readonly gone: readonly PodUid[];
  /** In this session the source has said all there is: what it has not named, it does not want. */
  readonly complete: boolean;
}
