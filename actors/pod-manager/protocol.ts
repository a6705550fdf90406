import type { Address } from '../../src/actor/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';
import type { RuntimePodName, RuntimePodNotice } from '../pleg/protocol.ts';
import type { PodSourceChange } from '../../src/pod/pod-source-change.ts';
import type { PodWorkerNotice } from '../pod-worker/protocol.ts';

/** What the pod manager can be told. */
export type PodManagerCommand =
  | PodSourceChange
  | RuntimePodNotice
  | RuntimeHealthChanged
  | PodWorkerNotice
  | { readonly type: 'drain' }
  /** Of a status manager that starts anew: say again what the API has, and which pods are over. */
  | { readonly type: 'report-api-pods' }
  /** Its own timer: whoever is to go is told again. */
  | { readonly type: 'urge' }
  /** Its own timer: what it was told may not be all there is. */
  | { readonly type: 'survey' }
  /** What there is, found out at the start, and again now and then. `minded`: whose worker it took to live as it asked. */
  | {
      readonly type: 'node-surveyed';
      readonly runtimePods: readonly RuntimePodName[];
      readonly workers: readonly PodUid[];
      readonly minded: readonly PodUid[];
    }
  /** A thread has come up (again): its pod workers are gone. */
  | { readonly type: 'thread-up'; readonly thread: string };

export type PodManagerQuestion =
  | { readonly type: 'all-pods' }
  /** Every pod is to go, and none to come any more. Answered when nothing is left. */
  | { readonly type: 'take-all-away' };

export interface PodManagerProtocol {
  readonly command: PodManagerCommand;
  readonly question: PodManagerQuestion;
  readonly answers: {
    /** Every pod that is wanted here, and those that are still going away. */
    readonly 'all-pods': readonly Pod[];
    readonly 'take-all-away': 'all-gone';
  };
}

export const POD_MANAGER: Address = 'pod-manager';
