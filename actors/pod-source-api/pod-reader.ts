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

/** What nobody on a node reads. */
const unread: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.generateName',
  'metadata.selfLink',
  'spec.topologySpreadConstraints',
]);

/**
 * The pods that an API server has said are bound here, each as small as it can be kept. The server has defaulted and
 * validated them; what the code stands on is checked all the same (`problemOf`), before anything is made of a pod.
 */
export class PodReader {
  readonly #interner = new Interner();
  readonly #nodeName: string;

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  /** What is wrong with an object that should be a pod. `knownAs`: what this node knows of the pod with this UID. */
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
   * A pod that has no problem, as it is kept. `seenAs`: as which this node has known the pod with this UID until now; the
   * pod is new at `now` otherwise.
   */
  read(object: unknown, seenAs: (uid: string) => Pod | undefined, now: number): Pod {
    const { metadata, ...rest } = object as Pod;
    const before = seenAs(metadata.uid);
    const seen = before?.metadata.annotations?.[CONFIG_SEEN_ANNOTATION] ?? new Date(now).toISOString();
    const marked = {
      ...rest,
      // Lists leave both out of their items.
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [CONFIG_SEEN_ANNOTATION]: seen, [CONFIG_SOURCE_ANNOTATION]: 'api' },
      },
    };
    // `problemOf` has looked at what everything else stands on.
    return compactObject(marked, {
      interner: this.#interner,
      without: unread,
      before: before as Readonly<Record<string, unknown>> | undefined,
    }) as unknown as Pod;
  }
}

/** The UID in an object that is no pod. `undefined` when there is none. */
export const uidIn = (object: unknown): string | undefined => claimedName(object).uid;

/**
 * The event about a pod that cannot be read, as far as the pod can be named by it: an event needs the place of its object.
 * `undefined` when the names are no names.
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
