import type { Pod } from '../kube/pod.ts';

/** Where a pod's data lies on the host. */
export const podDir = (rootDir: string, uid: string): string => `${rootDir}/pods/${uid}`;
export const etcHostsPath = (rootDir: string, uid: string): string => `${podDir(rootDir, uid)}/etc-hosts`;
/** The directory of a container's termination messages, one file a start. */
export const containerDir = (rootDir: string, uid: string, container: string): string =>
  `${podDir(rootDir, uid)}/containers/${container}`;

/** `<name>_<namespace>(<uid>)`: how a pod is named in messages that users read. */
export const podInMessage = ({ metadata }: Pod): string => `"${metadata.name}_${metadata.namespace}(${metadata.uid})"`;
