import type { PodUid } from '../kube/ids.ts';
import type { Pod } from '../kube/pod.ts';

/** Where pods come from. Each has an actor `pod-source-<name>`, and its name in the annotation `kubernetes.io/config.source`. */
export type PodSource = 'file' | 'http' | 'api';

/** What a pod source tells the pod manager: one message holds only what has changed. */
export interface PodSourceChange {
  readonly type: 'source-changed';
  readonly source: PodSource;
  /**
   * A session begins when either side starts anew, and tells everything from the start. A message of a session whose
   * beginning was not heard is only a part of something: it must not be used.
   */
  readonly session: string;
  readonly begins: boolean;
  readonly set: readonly Pod[];
  readonly gone: readonly PodUid[];
  /** In this session the source has said all there is: what it has not named, it does not want. */
  readonly complete: boolean;
}
