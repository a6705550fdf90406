import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../src/kube/pod.ts';
import {
  CONFIG_MIRROR_ANNOTATION,
  CONFIG_SEEN_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
} from '../../src/kube/manifest/static-pod.ts';

const LOCAL_ANNOTATIONS = new Set([CONFIG_SOURCE_ANNOTATION, CONFIG_SEEN_ANNOTATION, CONFIG_MIRROR_ANNOTATION]);

/**
 * Returns `true` if two objects with one UID request the same: spec, labels, deletion, and annotations except those
 * this node made.
 */
export function samePod(one: Pod, other: Pod): boolean {
  return (
    one.metadata.deletionTimestamp === other.metadata.deletionTimestamp &&
    one.metadata.deletionGracePeriodSeconds === other.metadata.deletionGracePeriodSeconds &&
    isDeepStrictEqual(one.spec, other.spec) &&
    isDeepStrictEqual(one.metadata.labels ?? {}, other.metadata.labels ?? {}) &&
    isDeepStrictEqual(annotations(one), annotations(other))
  );
}

const annotations = ({ metadata }: Pod) =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !LOCAL_ANNOTATIONS.has(name)));

/**
 * Returns `true` if the readiness gates have the same conditions. Others set these conditions, and they decide whether
 * the pod is ready.
 */
export function sameGates(one: Pod, other: Pod): boolean {
  const gates = other.spec.readinessGates ?? [];
  return gates.every(({ conditionType }) => conditionOf(one, conditionType) === conditionOf(other, conditionType));
}

const conditionOf = ({ status }: Pod, wanted: string): string | undefined =>
  status?.conditions?.find(({ type }) => type === wanted)?.status;
