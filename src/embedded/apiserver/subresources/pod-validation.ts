import { isDeepStrictEqual } from 'node:util';
import type { Container, Pod, PodSpec, Toleration } from '../../../kube/pod.ts';
import { validatePod } from '../../../kube/validation/validate-pod.ts';
import type { ApiObject } from '../store/api-object.ts';
import { causeOf, forbiddenField, invalidValue } from '../store/field-causes.ts';
import type { StatusCause } from '../store/refusal.ts';

// Pods of the store have the shape of a Pod: it is checked with each write.
const asPod = (object: ApiObject): Pod => object as unknown as Pod;

const MIRROR = 'kubernetes.io/config.mirror';
const MIRROR_FIELD = `metadata.annotations[${MIRROR}]`;
const mirrorOf = ({ metadata }: ApiObject): string | undefined => metadata.annotations?.[MIRROR];

export function podProblems(object: ApiObject): readonly StatusCause[] {
  const causes = validatePod(asPod(object)).map(causeOf);
  const mirror = mirrorOf(object);
  if (mirror === undefined || asPod(object).spec.nodeName) return causes;
  return [...causes, invalidValue(MIRROR_FIELD, mirror, 'must set spec.nodeName if mirror pod annotation is set')];
}

/** The mirror annotation is set at creation and never changes. */
function mirrorProblems(object: ApiObject, old: ApiObject): readonly StatusCause[] {
  const before = mirrorOf(old);
  if (mirrorOf(object) === before) return [];
  const why =
    before === undefined ? 'may not add mirror pod annotation' : 'may not remove or update mirror pod annotation';
  return [forbiddenField(MIRROR_FIELD, why)];
}

/**
 * Few members of a pod's spec may change: images, the deadline (downwards), more tolerations (concept: pod update).
 */
export function podUpdateProblems(object: ApiObject, old: ApiObject): readonly StatusCause[] {
  const after = asPod(object).spec;
  const before = asPod(old).spec;
  if (after === before || isDeepStrictEqual(after, before)) return mirrorProblems(object, old);
  const causes = [
    ...mirrorProblems(object, old),
    ...deadlineProblems(after, before),
    ...tolerationProblems(after, before),
  ];
  if (!isDeepStrictEqual(fixedPart(after, before), before)) {
    const allowed = [
      '`spec.containers[*].image`',
      '`spec.initContainers[*].image`',
      '`spec.activeDeadlineSeconds`',
      '`spec.tolerations` (only additions to existing tolerations)',
      '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    ];
    causes.push(forbiddenField('spec', `pod updates may not change fields other than ${allowed.join(',')}`));
  }
  return causes;
}

/**
 * Returns the new spec with all changeable members reset; it equals the old spec unless something else has changed.
 */
function fixedPart(after: PodSpec, before: PodSpec): PodSpec {
  const images = (now: readonly Container[] | undefined, then: readonly Container[] | undefined) =>
    now?.map((container, index) => {
      const { image } = then?.[index] ?? {};
      return image === undefined ? container : { ...container, image };
    });
  const fixed: Record<string, unknown> = { ...after };
  const putBack = (member: keyof PodSpec, value: unknown): void => {
    if (value === undefined) delete fixed[member];
    else fixed[member] = value;
  };
  putBack('containers', images(after.containers, before.containers));
  putBack('initContainers', images(after.initContainers, before.initContainers));
  putBack('activeDeadlineSeconds', before.activeDeadlineSeconds);
  putBack('tolerations', before.tolerations);
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && after.terminationGracePeriodSeconds === 1)
    putBack('terminationGracePeriodSeconds', before.terminationGracePeriodSeconds);
  // Only members of the old spec were put back.
  return fixed as unknown as PodSpec;
}

function deadlineProblems(after: PodSpec, before: PodSpec): StatusCause[] {
  const { activeDeadlineSeconds: now } = after;
  const { activeDeadlineSeconds: then } = before;
  if (then === undefined || now === then) return [];
  const field = 'spec.activeDeadlineSeconds';
  if (now === undefined) return [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  return now > then ? [invalidValue(field, now, `must be less than or equal to previous value`)] : [];
}

function tolerationProblems(after: PodSpec, before: PodSpec): StatusCause[] {
  const now = after.tolerations ?? [];
  const stays = (then: Toleration): boolean =>
    now.some((each) => isDeepStrictEqual({ ...each, tolerationSeconds: 0 }, { ...then, tolerationSeconds: 0 }));
  if ((before.tolerations ?? []).every(stays)) return [];
  return [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}
