import type { Pod } from './pod.ts';

/** The object that an event refers to (`ObjectReference`). */
export interface EventObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod' | 'Node' | 'PersistentVolumeClaim' | 'PersistentVolume';
  /** Absent for objects without a namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** A part of the object: `spec.containers{main}`. */
  readonly fieldPath?: string;
}

/** An occurrence that the users of an object may want to see. Its count and first time are added later. */
export interface EventToRecord {
  readonly object: EventObject;
  readonly type: 'Normal' | 'Warning';
  /** A word for programs, in Kubernetes' own spelling. */
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Sends an event. Never fails and never waits: an event that cannot be written is dropped and counted. */
export type RecordEvent = (event: EventToRecord) => void;

/**
 * Returns the event object of a pod, or of one of its containers. A name that its spec lacks refers to the whole pod.
 */
export function podEventObject({ metadata, spec }: Pod, container?: string): EventObject {
  const { namespace, name, uid } = metadata;
  const pod: EventObject = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  if (container === undefined) return pod;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    if (spec[list]?.some((each) => each.name === container)) return { ...pod, fieldPath: `spec.${list}{${container}}` };
  }
  return pod;
}

/**
 * Returns the event object of a pod of which only the runtime's record is left. Its containers are treated as regular
 * ones.
 */
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

/** Returns the event object of the node. Its UID is the node's name, by which clients find a node's events. */
export const nodeEventObject = (nodeName: string): EventObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  name: nodeName,
  uid: nodeName,
});
