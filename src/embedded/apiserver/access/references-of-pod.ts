import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';

/** Returns the key of an object among pod references: `secrets/<namespace>/<name>`. */
export const referenceTo = (resource: ReferredResource, namespace: string, name: string): string =>
  `${resource}/${namespace}/${name}`;

export type ReferredResource = 'secrets' | 'configmaps' | 'persistentvolumeclaims' | 'serviceaccounts';

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Objects are immutable: the references of each are computed once. */
const known = new WeakMap<ApiObject, ReadonlySet<string>>();

/** All references of a pod. A mirror pod has none: its node wrote it, and must not give itself rights by it. */
export function referencesOfPod(pod: ApiObject): ReadonlySet<string> {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const found = new Set(pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined ? namedBy(pod) : []);
  known.set(pod, found);
  return found;
}

/** All references of any pod, mirror pods included. */
export function namedBy({ metadata, spec }: ApiObject): readonly string[] {
  const { namespace = '', name } = metadata;
  const to = (resource: ReferredResource, each: unknown): readonly string[] =>
    textOf(each) === '' ? [] : [referenceTo(resource, namespace, textOf(each))];
  const ofContainer = (container: unknown): readonly string[] => [
    ...listOf(container, 'env').flatMap((each) => ofSource(membersOf(each, 'valueFrom'))),
    ...listOf(container, 'envFrom').flatMap(ofSource),
  ];
  const ofSource = (source: unknown): readonly string[] => [
    ...to('secrets', membersOf(source, 'secretKeyRef')['name']),
    ...to('secrets', membersOf(source, 'secretRef')['name']),
    ...to('configmaps', membersOf(source, 'configMapKeyRef')['name']),
    ...to('configmaps', membersOf(source, 'configMapRef')['name']),
  ];
  const ofVolume = (volume: unknown): readonly string[] => [
    ...to('secrets', membersOf(volume, 'secret')['secretName']),
    ...to('secrets', membersOf(volume, 'secret')['name']),
    ...to('configmaps', membersOf(volume, 'configMap')['name']),
    ...to('persistentvolumeclaims', membersOf(volume, 'persistentVolumeClaim')['claimName']),
    ...(isMembers(volume) && isMembers(volume['ephemeral'])
      ? to('persistentvolumeclaims', `${name}-${textOf(volume['name'])}`)
      : []),
    ...listOf(membersOf(volume, 'projected'), 'sources').flatMap(ofVolume),
    ...secretsNamedIn(volume).flatMap((each) => to('secrets', each.name)),
  ];
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => listOf(spec, list));
  const account = isMembers(spec) ? textOf(spec['serviceAccountName']) || 'default' : 'default';
  return [
    ...to('serviceaccounts', account),
    ...listOf(spec, 'imagePullSecrets').flatMap((each) => (isMembers(each) ? to('secrets', each['name']) : [])),
    ...containers.flatMap(ofContainer),
    ...listOf(spec, 'volumes').flatMap(ofVolume),
  ];
}

/** Members of volume sources that name a secret with credentials. */
const SECRET_REFERENCES = ['secretRef', 'nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'];

/** Secrets that a volume source names; those of a PersistentVolume carry their namespace. */
export function secretsNamedIn(volume: unknown): readonly { readonly namespace: string; readonly name: string }[] {
  if (!isMembers(volume)) return [];
  return Object.values(volume).flatMap((source) =>
    SECRET_REFERENCES.flatMap((member) => {
      const { namespace, name } = membersOf(source, member);
      return textOf(name) === '' ? [] : [{ namespace: textOf(namespace), name: textOf(name) }];
    }),
  );
}

function listOf(value: unknown, member: string): readonly unknown[] {
  const list = isMembers(value) ? own(value, member) : undefined;
  return Array.isArray(list) ? list : [];
}
