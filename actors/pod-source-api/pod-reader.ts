import { Interner } from '../../src/api/reflector/intern.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import { compactObject } from '../../src/api/reflector/project-object.ts';
import { describeProblem } from '../../src/api/unread-reports.ts';
import { apiPodProblem } from '../../src/kube/manifest/api-pod.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import type { FieldProblem } from '../../src/kube/validation/field-path.ts';
import { whyNoDnsLabel, whyNoDnsSubdomain, whyNoUid } from '../../src/kube/validation/name-rules.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';

/** Fields that no part of this agent reads. */
const unread: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.generateName',
  'metadata.selfLink',
  'spec.topologySpreadConstraints',
]);

/**
 * The pods that the API server has bound to this node, each stored as compactly as possible. The server has defaulted
 * and validated them. `problemOf` checks the fields that the code depends on all the same, before a pod is used.
 */
export class PodReader {
  readonly #interner = new Interner();
  readonly #nodeName: string;

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  /**
   * Returns the defect of an object that should be a pod. `knownAs` returns the pod that this node knows under a UID.
   */
  problemOf(object: unknown, knownAs: (uid: string) => Pod | undefined): FieldProblem | undefined {
    const problem = apiPodProblem(object, this.#nodeName);
    if (problem !== undefined) return problem;
    // `apiPodProblem` has checked all members that are read here.
    const { uid, name, namespace } = (object as Pod).metadata;
    const known = knownAs(uid)?.metadata;
    if (known === undefined) return undefined;
    if (known.name !== name) return { path: ['metadata', 'name'], value: name, message: `was ${known.name}` };
    if (known.namespace === namespace) return undefined;
    return { path: ['metadata', 'namespace'], value: namespace, message: `was ${known.namespace}` };
  }

  /**
   * Returns the stored form of a pod without defects. `seenAs` returns the pod that this node knows under a UID; a pod
   * without one is new at `now`.
   */
  read(object: unknown, seenAs: (uid: string) => Pod | undefined, now: number): Pod {
    const { metadata, ...rest } = object as Pod;
    const before = seenAs(metadata.uid);
    const seen = before?.metadata.annotations?.[CONFIG_SEEN_ANNOTATION] ?? new Date(now).toISOString();
    const marked = {
      ...rest,
      // Lists omit both fields in their items.
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [CONFIG_SEEN_ANNOTATION]: seen, [CONFIG_SOURCE_ANNOTATION]: 'api' },
      },
    };
    // `problemOf` has checked the fields that the rest of the code depends on.
    return compactObject(marked, {
      interner: this.#interner,
      without: unread,
      before: before as Readonly<Record<string, unknown>> | undefined,
    }) as unknown as Pod;
  }
}

/** Returns the UID of an object that is not a valid pod. `undefined` when the object has none. */
export const uidIn = (object: unknown): string | undefined => claimedName(object).uid;

/**
 * Returns the event about an unreadable pod. `undefined` when the pod's names are invalid: an event must name its
 * object.
 */
export function unreadPodEvent(object: unknown, problem: FieldProblem): EventToRecord | undefined {
  const { namespace = '', name = '', uid = '' } = claimedName(object);
  const isNamed = !whyNoDnsLabel(namespace) && !whyNoDnsSubdomain(name) && !whyNoUid(uid);
  if (!isNamed) return undefined;
  return {
    object: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    type: 'Warning',
    reason: 'FailedValidation',
    message: `Error validating pod ${name} from api, ignoring: ${describeProblem(problem)}`,
  };
}
