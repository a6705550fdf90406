import type { QosClass } from '../kube/pod.ts';
import type { NodeFacts } from './node-facts.ts';

const QOS_LEVEL: Readonly<Record<QosClass, readonly string[]>> = {
  Guaranteed: [],
  Burstable: ['burstable'],
  BestEffort: ['besteffort'],
};

const QOS_CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];

type CgroupFacts = Pick<NodeFacts, 'cgroupDriver' | 'cgroupRoot' | 'cgroupsPerQos'>;

/**
 * The cgroup of a pod, under which the runtime makes those of its containers, in the form the cgroup driver wants. Without
 * a hierarchy by QoS class every pod is put straight below the root.
 */
export function podCgroupParent(uid: string, qos: QosClass, node: CgroupFacts): string {
  const root = node.cgroupRoot.split('/').filter((part) => part !== '');
  const names = node.cgroupsPerQos ? [...root, 'kubepods', ...QOS_LEVEL[qos], `pod${uid}`] : root;
  return node.cgroupDriver === 'systemd' ? systemdPath(names) : `/${names.join('/')}`;
}

/**
 * Every path that the cgroup of this pod may have, for when its QoS class is not known any more. None without a hierarchy
 * by QoS class: there the parent is everybody's.
 */
export const possiblePodCgroups = (uid: string, node: CgroupFacts): readonly string[] =>
  node.cgroupsPerQos && uid !== '' ? QOS_CLASSES.map((qos) => podCgroupParent(uid, qos, node)) : [];

/**
 * The cgroups that may be a pod's own, and that are to go with it. Of a pod that only the runtime knows the class is not
 * known either. None where pods have no cgroup of their own: what all of them share is nobody's to remove.
 */
export function podCgroups(uid: string, qos: QosClass | undefined, node: CgroupFacts): readonly string[] {
  if (!node.cgroupsPerQos || uid === '') return [];
  const classes: readonly QosClass[] = qos === undefined ? ['Guaranteed', 'Burstable', 'BestEffort'] : [qos];
  return classes.map((each) => podCgroupParent(uid, each, node));
}

/** `a`, `b` → `/a.slice/a-b.slice`: a slice carries the names of its parents, so that a dash within one must go. */
function systemdPath(names: readonly string[]): string {
  let path = '';
  let slice = '';
  for (const name of names) {
    const escaped = name.replaceAll('-', '_');
    slice = slice === '' ? escaped : `${slice}-${escaped}`;
    path += `/${slice}.slice`;
  }
  return path === '' ? '/' : path;
}
