import type { Pod } from './pod.ts';

/** What an event is about, as the API names objects (`ObjectReference`). */
export interface EventObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod' | 'Node' | 'PersistentVolumeClaim' | 'PersistentVolume';
  /** Absent for objects that have none. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** A part of it: `spec.containers{main}`. */
  readonly fieldPath?: string;
}

/** Something that happened to an object and that its users may want to know of. How often, and when first, is added later. */
export interface EventToRecord {
  readonly object: EventObject;
  readonly type: 'Normal' | 'Warning';
  /** A word for programs, in Kubernetes' own spelling. */
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Takes an event on its way. Never fails, never waits: an event that cannot be written is lost, and counted. */
export type RecordEvent = (event: EventToRecord) => void;

/** A pod, or one of its containers. A name that its spec does not have means the pod as a whole. */
export function podEventObject({ metadata, spec }: Pod, container?: string): EventObject {
  const { namespace, name, uid } = metadata;
  const pod: EventObject = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  if (container === undefined) return pod;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    if (spec[list]?.some((each) => each.name === container)) return { ...pod, fieldPath: `spec.${list}{${container}}` };
  }
  return pod;
}

/** The object of an event about a pod of which only the runtime's record is left. Its containers are taken for regular ones. */
export const recordedPodEventObject = (
  { namespace, name, uid }: Pick<Pod['metadata'], 'namespace' | 'name' | 'uid'>,
  container?: string,
): EventObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  name,
  uid,
  ...(container !== undefined && { fieldPath: `spec.containers{${container}}` }),
});

/** The node. Its events carry its name where others carry a UID: so those who list a node's events find them. */
export const nodeEventObject = (nodeName: string): EventObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: nodeName,
  uid: nodeName,
});
