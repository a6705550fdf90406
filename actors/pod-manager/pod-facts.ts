import { own } from '../../src/kube/text/own.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { RuntimePodName } from '../pleg/protocol.ts';
import type { PodManagerEffect } from './effects.ts';
import type { EvictPod } from './protocol.ts';

export const sourceOf = ({ metadata }: Pod): string | undefined => own(metadata.annotations, CONFIG_SOURCE_ANNOTATION);

export const isFromApi = (pod: Pod): boolean => sourceOf(pod) === 'api';

export const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/**
 * A pod that an agent of this node has started was admitted then. Its requested resources have been allocated ever
 * since.
 */
export const wasAdmitted = (pod: Pod): boolean => isFromApi(pod) && pod.status?.startTime !== undefined;

/** Orders pods by their creation in the API. */
export const byCreation = (one: Pod, other: Pod): number => createdAt(one).localeCompare(createdAt(other));

const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';

export const fullNameOf = ({ name, namespace }: RuntimePodName): string => `${name}_${namespace}`;

/** How the node ends a pod for good. */
export type Eviction = Pick<EvictPod, 'gracePeriodSeconds' | 'ending'>;

export const evict = (uid: PodUid, { gracePeriodSeconds, ending }: Eviction): PodManagerEffect => ({
  type: 'tell-worker',
  uid,
  command: { type: 'evict-pod', gracePeriodSeconds, ending },
});

export const terminate = (uid: PodUid, graceSeconds: number | undefined): PodManagerEffect => ({
  type: 'tell-worker',
  uid,
  command: { type: 'terminate-pod', ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }) },
});
