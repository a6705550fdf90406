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
 * Returns the cgroup of a pod, in the form of the cgroup driver. The runtime creates the containers' cgroups below it.
 * Without a hierarchy by QoS class every pod is directly below the root.
 */
export function podCgroupParent(uid: string, qos: QosClass, node: CgroupFacts): string {
  const root = rootNames(node);
  return pathOf(node.cgroupsPerQos ? [...root, 'kubepods', ...QOS_LEVEL[qos], `pod${uid}`] : root, node);
}

const rootNames = ({ cgroupRoot }: CgroupFacts): readonly string[] =>
  cgroupRoot.split('/').filter((part) => part !== '');

const pathOf = (names: readonly string[], { cgroupDriver }: CgroupFacts): string =>
  cgroupDriver === 'systemd' ? systemdPath(names) : `/${names.join('/')}`;

/** Returns the cgroup of all pods together. */
export const nodeCgroupPath = (node: CgroupFacts): string => pathOf([...rootNames(node), 'kubepods'], node);

/** Returns the cgroup of all pods of a class. Guaranteed pods are directly below the node's. */
export const qosCgroupPath = (qos: QosClass, node: CgroupFacts): string =>
  pathOf([...rootNames(node), 'kubepods', ...QOS_LEVEL[qos]], node);

/** Returns the parent cgroups of pod cgroups, one per QoS class. Empty without a hierarchy by QoS class. */
export const podCgroupFolders = (node: CgroupFacts): readonly string[] =>
  node.cgroupsPerQos ? QOS_CLASSES.map((qos) => qosCgroupPath(qos, node)) : [];

/**
 * Returns the possible cgroups of a pod, which are removed with it. The class of a pod known only to the runtime is
 * unknown, so there may be several. Empty where pods have no cgroup of their own: a shared cgroup must not be removed.
 */
export function podCgroups(uid: string, qos: QosClass | undefined, node: CgroupFacts): readonly string[] {
  if (!node.cgroupsPerQos || uid === '') return [];
  const classes = qos === undefined ? QOS_CLASSES : [qos];
  return classes.map((each) => podCgroupParent(uid, each, node));
}

/**
 * `a`, `b` → `/a.slice/a-b.slice`: a slice's name repeats its parents' names, so a dash within a name must be replaced.
 */
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
