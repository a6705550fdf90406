import { isDeepStrictEqual } from 'node:util';
import { own } from '../../../kube/text/own.ts';
import type { ApiKind, KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { membersOf } from '../store/api-object.ts';
import { forbidden } from '../store/refusal.ts';
import { isPodOf, nodeOf } from './node-access.ts';
import { MIRROR_ANNOTATION, namedBy, referenceTo } from './references-of-pod.ts';

/** A write: the new object, and the stored one. */
export interface NodeWrite {
  readonly kind: ApiKind;
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
}

/**
 * A node may write only its own objects and its own pods, and nothing that would give it more rights
 * (NodeRestriction admission).
 */
export function restrictNodeWrite({ kind, object, old }: NodeWrite, { user, get }: KindContext): void {
  const node = nodeOf(user);
  if (node === undefined) return;
  const { name, namespace } = object.metadata;
  const refuse = (why: string): never => {
    throw forbidden({ group: kind.group, resource: kind.resource, name }, `node "${node}" ${why}`);
  };
  switch (kind.storedAs) {
    case 'nodes':
      if (name !== node) return refuse(`is not allowed to modify node "${name}"`);
      return restrictNodeObject(object, old, refuse);
    case 'pods':
      return old === undefined
        ? restrictNewPod(object, node, { refuse, get })
        : restrictPodStatus(object, old, { node, refuse });
    case 'leases.coordination.k8s.io':
      if (namespace !== 'kube-node-lease')
        return refuse('can only access leases in the "kube-node-lease" system namespace');
      return name === node ? undefined : refuse('can only access node lease with the same name as the requesting node');
    case 'csinodes.storage.k8s.io':
      return name === node ? undefined : refuse('can only access CSINode with the same name as the requesting node');
    default:
  }
}

export function restrictNodeDelete(kind: ApiKind, object: ApiObject, { user }: KindContext): void {
  const node = nodeOf(user);
  if (node === undefined) return;
  const { name } = object.metadata;
  const subject = { group: kind.group, resource: kind.resource, name };
  if (kind.storedAs === 'pods' && !isPodOf(object, node)) {
    throw forbidden(subject, `node "${node}" can only delete pods with spec.nodeName set to itself`);
  }
  if (kind.storedAs === 'nodes' && name !== node) {
    throw forbidden(subject, `node "${node}" is not allowed to modify node "${name}"`);
  }
}

/** A node may request an account's token only for an existing pod of its own that uses the account. */
export function restrictNodeToken(
  { namespace, name, reference }: { readonly namespace: string; readonly name: string; readonly reference: unknown },
  { user, get }: KindContext,
): void {
  const node = nodeOf(user);
  if (node === undefined) return;
  const subject = { group: '', resource: 'serviceaccounts', name };
  const { kind, name: podName, uid } = membersOf({ reference }, 'reference');
  if (kind !== 'Pod' || typeof podName !== 'string' || typeof uid !== 'string') {
    throw forbidden(subject, `node "${node}" requested token not bound to a pod`);
  }
  const pod = get('pods', namespace, podName);
  // The token subresource itself refuses a pod that is gone or was replaced.
  if (pod !== undefined && !isPodOf(pod, node)) {
    throw forbidden(subject, `node "${node}" requested token bound to a pod scheduled on a different node`);
  }
}

type Refuse = (why: string) => void;

function restrictNewPod(
  pod: ApiObject,
  node: string,
  { refuse, get }: { readonly refuse: Refuse; readonly get: KindContext['get'] },
): void {
  if (pod.metadata.annotations?.[MIRROR_ANNOTATION] === undefined) {
    return refuse(`pod does not have "${MIRROR_ANNOTATION}" annotation, can only create mirror pods`);
  }
  if (!isPodOf(pod, node)) return refuse('can only create pods with spec.nodeName set to itself');
  // The shape of objects has been checked: owners are a list of objects.
  const [owner, ...others] = (pod.metadata['ownerReferences'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const uid = get('nodes', undefined, node)?.metadata.uid;
  const isOwned = owner?.['kind'] === 'Node' && owner['name'] === node && owner['uid'] === uid;
  if (others.length > 0 || !isOwned) return refuse('can only create pods with an owner reference set to itself');
  const ownAccount = referenceTo('serviceaccounts', pod.metadata.namespace ?? '', 'default');
  const referred = namedBy(pod).filter((each) => each !== ownAccount);
  if (referred.length > 0) refuse(`can not create pods that reference ${referred[0]?.split('/')[0] ?? ''}`);
}

function restrictPodStatus(
  pod: ApiObject,
  old: ApiObject,
  { node, refuse }: { readonly node: string; readonly refuse: Refuse },
): void {
  if (!isPodOf(old, node)) return refuse('can only update pod status for pods with spec.nodeName set to itself');
  if (!isDeepStrictEqual(pod.metadata.labels, old.metadata.labels)) refuse('cannot update labels through pod status');
}

/** Kubernetes labels that a node may set on itself; all other labels of Kubernetes are forbidden. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  ...['hostname', 'os', 'arch', 'instance-type'].flatMap((each) => [
    `kubernetes.io/${each}`,
    `beta.kubernetes.io/${each}`,
  ]),
  ...['zone', 'region'].flatMap((each) => [
    `topology.kubernetes.io/${each}`,
    `failure-domain.beta.kubernetes.io/${each}`,
  ]),
  'node.kubernetes.io/instance-type',
]);
const OWN_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

function mayGiveItself(label: string): boolean {
  const [domain = '', rest] = label.split('/', 2);
  if (rest === undefined || OWN_LABELS.has(label)) return true;
  const isIn = (each: string): boolean => domain === each || domain.endsWith(`.${each}`);
  if (isIn('node-restriction.kubernetes.io')) return false;
  return OWN_DOMAINS.some(isIn) || !(isIn('kubernetes.io') || isIn('k8s.io'));
}

function restrictNodeObject(node: ApiObject, old: ApiObject | undefined, refuse: Refuse): void {
  const [now, before] = [node.metadata.labels ?? {}, old?.metadata.labels ?? {}];
  const changed = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter(
    (key) => own(now, key) !== own(before, key),
  );
  const forbiddenOnes = changed.filter((key) => !mayGiveItself(key)).sort();
  if (forbiddenOnes.length > 0) refuse(`is not allowed to modify labels: ${forbiddenOnes.join(', ')}`);
  if (old === undefined) return;
  if (!isDeepStrictEqual(membersOf(node, 'spec')['taints'], membersOf(old, 'spec')['taints'])) {
    refuse('is not allowed to modify taints');
  }
}
