import type { Pod, PodStatus } from '../../kube/pod.ts';
import { isMirrorPod } from '../../kube/manifest/static-pod.ts';

/** The parts of a pod's API object that are needed to write its status. */
export interface ApiPodView {
  /** The UID of the API object: a mirror pod's UID differs from that of its static pod. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp: string | undefined;
  /** 0 when only the pod's finalizers hold up its deletion. */
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly isMirror: boolean;
  readonly status: PodStatus;
}

export const apiPodView = (pod: Pod): ApiPodView => ({
  uid: pod.metadata.uid,
  namespace: pod.metadata.namespace,
  name: pod.metadata.name,
  resourceVersion: pod.metadata.resourceVersion ?? '',
  deletionTimestamp: pod.metadata.deletionTimestamp,
  deletionGracePeriodSeconds: pod.metadata.deletionGracePeriodSeconds,
  isMirror: isMirrorPod(pod),
  status: pod.status ?? {},
});

/**
 * `true` if one resource version of an object is older than another (KEP-5504: they are numbers). Versions that are not
 * numbers cannot be compared, so neither is older.
 */
export function isOlderVersion(one: string, other: string): boolean {
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
