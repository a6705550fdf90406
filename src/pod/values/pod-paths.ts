import { entryName } from '../../kube/validation/entry-name.ts';
import type { Pod } from '../../kube/pod.ts';

/** Returns a pod's directory on the host. All functions here throw when a name would lead to another directory. */
export const podDir = (rootDir: string, uid: string): string => `${rootDir}/pods/${entryName(uid)}`;
export const etcHostsPath = (rootDir: string, uid: string): string => `${podDir(rootDir, uid)}/etc-hosts`;
/** Returns the directory of a container's termination messages, one file per start. */
export const containerDir = (rootDir: string, uid: string, container: string): string =>
  `${podDir(rootDir, uid)}/containers/${entryName(container)}`;

/** Returns `<name>_<namespace>(<uid>)`, a pod's name in messages for users. */
export const podInMessage = ({ metadata }: Pod): string => `"${metadata.name}_${metadata.namespace}(${metadata.uid})"`;
