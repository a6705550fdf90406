import { Interner } from '../../src/api/intern.ts';
import { compactObject } from '../../src/api/project-object.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION } from '../../src/kube/static-pod.ts';

/** What nobody on a node reads. */
const unread: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.generateName',
  'metadata.selfLink',
  'spec.topologySpreadConstraints',
]);

/**
 * The pods that an API server has said are bound here, each as small as it can be kept. The server has defaulted and
 * validated them; what could not be a pod all the same is counted and left out.
 */
export class PodReader {
  readonly #interner = new Interner();
  unusable = 0;

  /** `seenAs`: as which this node has known the pod with this UID until now; it is new at `now` otherwise. */
  read(object: unknown, seenAs: (uid: string) => Pod | undefined, now: number): Pod | undefined {
    if (!isPod(object)) {
      this.unusable += 1;
      return undefined;
    }
    const { metadata } = object;
    const before = seenAs(metadata.uid);
    const seen = before?.metadata.annotations?.[CONFIG_SEEN_ANNOTATION] ?? new Date(now).toISOString();
    const marked = {
      ...object,
      // Lists leave both out of their items.
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [CONFIG_SEEN_ANNOTATION]: seen, [CONFIG_SOURCE_ANNOTATION]: 'api' },
      },
    };
    // `isPod` has looked at what everything else stands on.
    return compactObject(marked, {
      interner: this.#interner,
      without: unread,
      before: before as Readonly<Record<string, unknown>> | undefined,
    }) as unknown as Pod;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function isPod(object: unknown): object is Pod {
  const { metadata, spec } = (object ?? {}) as { metadata?: Partial<Pod['metadata']>; spec?: Partial<Pod['spec']> };
  return (
    isText(metadata?.uid) &&
    isText(metadata.name) &&
    isText(metadata.namespace) &&
    Array.isArray(spec?.containers) &&
    spec.containers.every((container: { readonly name?: unknown } | null) => isText(container?.name))
  );
}
