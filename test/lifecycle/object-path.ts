import type { ApiObject, Scenario } from './scenario.ts';

/** The namespace of an object whose manifest names none. */
export const DEFAULT_NAMESPACE = 'default';

/** The members of an object that decide on its path in the API. */
export interface Placed {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata?: { readonly namespace?: string };
}

const CLUSTER_WIDE: ReadonlySet<string> = new Set([
  'namespaces',
  'nodes',
  'persistentvolumes',
  'priorityclasses',
  'runtimeclasses',
  'storageclasses',
  'csidrivers',
  'csinodes',
  'volumeattachments',
]);

/** Returns `undefined` for an object of the whole cluster. */
export const namespaceOf = ({ kind, metadata }: Placed): string | undefined =>
  CLUSTER_WIDE.has(resourceOf(kind)) ? undefined : metadata?.namespace || DEFAULT_NAMESPACE;

/** Returns the resource of a kind, as paths have it. Actions may name the resource itself: `configmaps`. */
const resourceOf = (kind: string): string =>
  /^[a-z]/.test(kind)
    ? kind
    : kind
        .toLowerCase()
        .replace(/(?:s|x|ch)$/, '$&e')
        .replace(/y$/, 'ie') + 's';

/** Returns the path at which objects of the kind are created. */
export function listPathOf(object: Placed): string {
  const { apiVersion = 'v1', kind } = object;
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const namespace = namespaceOf(object);
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resourceOf(kind)}`;
}

/** Returns every object that a scenario makes: from its manifest, its actions and its static pods. */
export const objectsOf = ({ manifest = [], actions, static: files = {} }: ScenarioObjects): readonly ApiObject[] => [
  ...manifest,
  ...actions.flatMap((action) => ('create' in action ? [action.create] : [])),
  ...staticPodsOf({ actions, static: files }),
];

type ScenarioObjects = Pick<Scenario, 'actions' | 'manifest' | 'static'>;

export const staticPodsOf = ({
  actions,
  static: files = {},
}: Pick<Scenario, 'actions' | 'static'>): readonly ApiObject[] => [
  ...Object.values(files),
  ...actions.flatMap((action) => ('static' in action && action.pod !== undefined ? [action.pod] : [])),
];

/** Returns the namespaces in which a scenario's objects live. */
export const namespacesOf = (scenario: ScenarioObjects): ReadonlySet<string> =>
  new Set(objectsOf(scenario).flatMap((object) => namespaceOf(object) ?? []));

/**
 * Returns the path of an object that an action names. A mirror pod lives where its static pod does. An object that the
 * scenario does not make lives where the scenario's pods do.
 */
export function pathOfNamed(scenario: ScenarioObjects, { kind = 'Pod', name }: NamedObject): string {
  const objects = objectsOf(scenario);
  const pods = objects.filter((object) => object.kind === 'Pod');
  const made =
    objects.find((object) => resourceOf(object.kind) === resourceOf(kind) && object.metadata.name === name) ??
    (resourceOf(kind) === 'pods'
      ? staticPodsOf(scenario).find(({ metadata }) => name.startsWith(`${metadata.name}-`))
      : undefined);
  return `${listPathOf(made ?? { kind, metadata: pods[0]?.metadata ?? {} })}/${name}`;
}

export interface NamedObject {
  readonly kind?: string | undefined;
  readonly name: string;
}
