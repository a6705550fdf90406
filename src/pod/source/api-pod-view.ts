import type { Pod, PodStatus } from '../../kube/pod.ts';
import { isMirrorPod } from '../../kube/manifest/static-pod.ts';

/** What has to be known of a pod's object in the API to write its status. */
export interface ApiPodView {
  /** Of the object itself: a mirror pod has another than its static pod. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp: string | undefined;
  /** 0: nobody is waited for any more but its finalizers. */
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
 * Whether one resource version of an object is older than another (KEP-5504: they are numbers). Versions that are not
 * cannot be told apart: none is older.
 */
export function isOlderVersion(one: string, other: string): boolean {
  if (!/^\d+$/.test(one) || !/^\d+$/.test(other)) return false;
  return one.length === other.length ? one < other : one.length < other.length;
}
