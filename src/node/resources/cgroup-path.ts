import type { QosClass } from '../../kube/pod.ts';
import type { NodeFacts } from '../object/node-facts.ts';

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
  const root = rootNames(node);
  return pathOf(node.cgroupsPerQos ? [...root, 'kubepods', ...QOS_LEVEL[qos], `pod${uid}`] : root, node);
}

const rootNames = ({ cgroupRoot }: CgroupFacts): readonly string[] =>
  cgroupRoot.split('/').filter((part) => part !== '');

const pathOf = (names: readonly string[], { cgroupDriver }: CgroupFacts): string =>
  cgroupDriver === 'systemd' ? systemdPath(names) : `/${names.join('/')}`;

/** The cgroup of all pods together. */
export const nodeCgroupPath = (node: CgroupFacts): string => pathOf([...rootNames(node), 'kubepods'], node);

/** The cgroup of all pods of a class: guaranteed ones are right below the node's. */
export const qosCgroupPath = (qos: QosClass, node: CgroupFacts): string =>
  pathOf([...rootNames(node), 'kubepods', ...QOS_LEVEL[qos]], node);

/** Where the cgroups of pods are, the class of each aside. None without a hierarchy by QoS class. */
export const podCgroupFolders = (node: CgroupFacts): readonly string[] =>
  node.cgroupsPerQos ? QOS_CLASSES.map((qos) => qosCgroupPath(qos, node)) : [];

/**
 * The cgroups that may be a pod's own, and that are to go with it. Of a pod that only the runtime knows the class is not
 * known either. None where pods have no cgroup of their own: what all of them share is nobody's to remove.
 */
export function podCgroups(uid: string, qos: QosClass | undefined, node: CgroupFacts): readonly string[] {
  if (!node.cgroupsPerQos || uid === '') return [];
  const classes = qos === undefined ? QOS_CLASSES : [qos];
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
