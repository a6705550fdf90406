import { entryName } from '../../kube/validation/entry-name.ts';
import type { Pod } from '../../kube/pod.ts';

/** Where a pod's data lies on the host. Throws, as all functions here, when a name would lead elsewhere. */
export const podDir = (rootDir: string, uid: string): string => `${rootDir}/pods/${entryName(uid)}`;
export const etcHostsPath = (rootDir: string, uid: string): string => `${podDir(rootDir, uid)}/etc-hosts`;
/** The directory of a container's termination messages, one file a start. */
export const containerDir = (rootDir: string, uid: string, container: string): string =>
  `${podDir(rootDir, uid)}/containers/${entryName(container)}`;

/** `<name>_<namespace>(<uid>)`: how a pod is named in messages that users read. */
export const podInMessage = ({ metadata }: Pod): string => `"${metadata.name}_${metadata.namespace}(${metadata.uid})"`;
