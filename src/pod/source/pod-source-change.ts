import type { PodUid } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';

/**
 * A source of pods. Each source has an actor `pod-source-<name>`, and its name in the annotation
 * `kubernetes.io/config.source`.
 */
export type PodSource = 'file' | 'http' | 'api';

/**
 * The incarnation of the source and the session within it. Later incarnations and later sessions have larger numbers.
 */
export type SourceSession = readonly [incarnation: number, number: number];

/** Returns a number below 0 if the first session is earlier, 0 if both are the same. */
export const compareSessions = (one: SourceSession, other: SourceSession): number =>
  one[0] - other[0] || one[1] - other[1];

/** A pod source's message to the pod manager. One message holds only changes. */
export interface PodSourceChange {
  readonly type: 'source-changed';
  readonly source: PodSource;
  /**
   * A session begins when either side restarts, and reports everything from the start. Later sessions are larger. When
   * an earlier message of the session was lost, this message is incomplete and must not be used.
   */
  readonly session: SourceSession;
  /** Counts from 1 without a gap, because messages may get lost or overtake each other. */
  readonly number: number;
  readonly set: readonly Pod[];
  readonly gone: readonly PodUid[];
  /** `true` if the source has reported all its pods in this session: a pod without a report is not wanted. */
  readonly complete: boolean;
}
