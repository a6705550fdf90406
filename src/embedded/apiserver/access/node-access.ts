import { own } from '../../../kube/text/own.ts';
import type { ApiUser, KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { membersOf, textOf } from '../store/api-object.ts';
import { rulesOfNodes } from './default-roles.ts';
import { type RequestedAccess, covers } from './judge-access.ts';
import { type ReferredResource, referencesOfPod, referenceTo, secretsNamedIn } from './references-of-pod.ts';

export type StoredObjects = Pick<KindContext, 'get' | 'list'>;

const PREFIX = 'system:node:';
export const NODES = 'system:nodes';

/** Returns the name of the node that the user is. `undefined` when the user is not a node. */
export const nodeOf = ({ username, groups }: ApiUser): string | undefined =>
  groups.includes(NODES) && username.startsWith(PREFIX) && username !== PREFIX
    ? username.slice(PREFIX.length)
    : undefined;

/**
 * Returns why a node may do it. `undefined` when node authorization does not allow it. A node may read only the
 * objects that its own pods refer to (node authorization of Kubernetes).
 */
export function reasonToAllowNode(objects: StoredObjects, user: ApiUser, asked: RequestedAccess): string | undefined {
  const node = nodeOf(user);
  if (node === undefined || !rulesOfNodes.some((rule) => covers(rule, asked))) return undefined;
  if (asked.type === 'path') return undefined;
  const judge = own(narrowed, asked.group === '' ? asked.resource : `${asked.resource}.${asked.group}`);
  if (judge !== undefined && !judge(objects, node, asked)) return undefined;
  return `node "${node}" needs it`;
}

type RequestedResource = Extract<RequestedAccess, { type: 'resource' }>;
type Judge = (objects: StoredObjects, node: string, asked: RequestedResource) => boolean;

const ofOwnPods =
  (resource: ReferredResource): Judge =>
  (objects, node, { namespace, name }) =>
    name !== '' && isReferredTo(objects, node, referenceTo(resource, namespace, name));

/** A create request has its name in the body, which admission checks. */
const named: Judge = (_objects, node, { verb, name }) => name === node || (verb === 'create' && name === '');

const narrowed: Readonly<Record<string, Judge>> = {
  secrets: (objects, node, asked) => ofOwnPods('secrets')(objects, node, asked) || isOfOwnVolumes(objects, node, asked),
  configmaps: ofOwnPods('configmaps'),
  persistentvolumeclaims: ofOwnPods('persistentvolumeclaims'),
  serviceaccounts: ofOwnPods('serviceaccounts'),
  persistentvolumes: (objects, node, { name }) =>
    volumesOf(objects, node).some(({ metadata }) => metadata.name === name),
  'volumeattachments.storage.k8s.io': (objects, node, { name }) =>
    membersOf(objects.get('volumeattachments.storage.k8s.io', undefined, name), 'spec')['nodeName'] === node,
  'leases.coordination.k8s.io': (objects, node, asked) =>
    asked.namespace === 'kube-node-lease' && named(objects, node, asked),
  'csinodes.storage.k8s.io': named,
};

export const isPodOf = (pod: ApiObject | undefined, node: string): boolean =>
  membersOf(pod, 'spec')['nodeName'] === node;

function* podsOf({ list }: StoredObjects, node: string): Generator<ApiObject> {
  for (const pod of list('pods')) if (isPodOf(pod, node)) yield pod;
}

function isReferredTo(objects: StoredObjects, node: string, reference: string): boolean {
  for (const pod of podsOf(objects, node)) if (referencesOfPod(pod).has(reference)) return true;
  return false;
}

const CLAIM = /^persistentvolumeclaims\/([^/]+)\/(.+)$/;

/** The volumes that the claims of a node's pods are bound to. */
function volumesOf(objects: StoredObjects, node: string): readonly ApiObject[] {
  const claims = new Set<string>();
  for (const pod of podsOf(objects, node)) {
    for (const each of referencesOfPod(pod)) if (CLAIM.test(each)) claims.add(each);
  }
  return [...claims].flatMap((each) => {
    const [, namespace, name = ''] = CLAIM.exec(each) ?? [];
    const claim = objects.get('persistentvolumeclaims', namespace, name);
    const volume = objects.get('persistentvolumes', undefined, textOf(membersOf(claim, 'spec')['volumeName']));
    return volume === undefined ? [] : [volume];
  });
}

const isOfOwnVolumes = (objects: StoredObjects, node: string, { namespace, name }: RequestedResource): boolean =>
  name !== '' &&
  volumesOf(objects, node).some(({ spec }) =>
    secretsNamedIn(spec).some((each) => each.name === name && each.namespace === namespace),
  );
