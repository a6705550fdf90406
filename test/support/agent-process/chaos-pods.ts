import { podManifest, type PodRequest } from './test-pods.ts';

/** The final state of a pod after the disturbances. */
export type PodEnd = 'running' | 'looping' | 'succeeded' | 'failed';

export interface ChaosShape {
  readonly wishes: PodRequest;
  readonly end: PodEnd;
}

/** Ways of living, spread over the pods in turn. */
const shapes: readonly ChaosShape[] = [
  { wishes: { containers: ['app'] }, end: 'running' },
  { wishes: { initContainers: ['prepares'], containers: ['app'] }, end: 'running' },
  { wishes: { containers: ['app', 'slow'] }, end: 'running' },
  { wishes: { containers: ['app'] }, end: 'running' },
  { wishes: { restartPolicy: 'Never', containers: ['prepares'] }, end: 'succeeded' },
  { wishes: { restartPolicy: 'Never', containers: ['fails'] }, end: 'failed' },
  { wishes: { containers: ['fails'] }, end: 'looping' },
  { wishes: { initContainers: ['prepares'], containers: ['app', 'slow'] }, end: 'running' },
];

/** The shape of a slot; it keeps it in all its revisions. */
export function shapeOf(slot: number): ChaosShape {
  const shape = shapes[slot % shapes.length];
  if (shape === undefined) throw new Error(`slot ${slot} has no shape`);
  return shape;
}

export const slotName = (slot: number): string => `chaos-${slot}`;

/** Grace period of every pod made by `manifestOf`, in seconds. */
export const GRACE_SECONDS = 5;

/** Set on sandboxes too, so that the runtime's list shows the revision. */
export const REVISION_LABEL = 'revision';

/** Another revision is another pod with another UID: static pods never change. */
export function manifestOf(slot: number, revision: number): unknown {
  const manifest = podManifest(slotName(slot), shapeOf(slot).wishes);
  const { metadata } = manifest;
  return { ...manifest, metadata: { ...metadata, labels: { ...metadata.labels, [REVISION_LABEL]: String(revision) } } };
}
