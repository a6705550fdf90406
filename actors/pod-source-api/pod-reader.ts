import type { WallMs } from '../../src/actor/clock.ts';
import { Interner } from '../../src/api/reflector/intern.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import { compactObject, isSame } from '../../src/api/reflector/project-object.ts';
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
 * and validated them. `problemOf` still checks the fields that the code depends on, before a pod is used.
 */
export class PodReader {
  readonly #interner = new Interner();
  readonly #nodeName: string;
  /** The object checked last, if its spec equals that of the pod known under its UID: most events change no spec. */
  #sameSpec: unknown;

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  /**
   * Returns the defect of an object that should be a pod. `knownAs` returns the pod that this node knows under a UID.
   */
  problemOf(object: unknown, knownAs: (uid: string) => Pod | undefined): FieldProblem | undefined {
    const knownPod = knownAs(claimedName(object).uid ?? '');
    const isSpecKnown = knownPod !== undefined && isSame(specIn(object), knownPod.spec);
    this.#sameSpec = isSpecKnown ? object : undefined;
    const problem = apiPodProblem(object, { nodeName: this.#nodeName, spec: isSpecKnown ? 'checked' : 'unchecked' });
    if (problem !== undefined) return problem;
    // `apiPodProblem` has checked all members that are read here.
    const { name, namespace } = (object as Pod).metadata;
    const known = knownPod?.metadata;
    if (known === undefined) return undefined;
    if (known.name !== name) return { path: ['metadata', 'name'], value: name, message: `was ${known.name}` };
    if (known.namespace === namespace) return undefined;
    return { path: ['metadata', 'namespace'], value: namespace, message: `was ${known.namespace}` };
  }

  /**
   * Returns the stored form of a pod without defects. `seenAs` returns the pod that this node knows under a UID; a pod
   * without one is new at `now`.
   */
  read(object: unknown, seenAs: (uid: string) => Pod | undefined, now: WallMs): Pod {
    // `problemOf` has checked the object before.
    const { metadata, ...rest } = object as Pod;
    const before = seenAs(metadata.uid);
    const spec = before !== undefined && this.#sameSpec === object ? before.spec : rest.spec;
    const seen = before?.metadata.annotations?.[CONFIG_SEEN_ANNOTATION] ?? new Date(now).toISOString();
    const marked = {
      ...rest,
      spec,
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
      // A pod is an object; only its members are compared.
      before: before as Readonly<Record<string, unknown>> | undefined,
    }) as unknown as Pod;
  }
}

/** The object is not checked yet: it may be anything. */
const specIn = (object: unknown): unknown => (object as { readonly spec?: unknown } | null | undefined)?.spec;

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
