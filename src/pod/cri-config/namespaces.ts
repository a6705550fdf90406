import { NamespaceMode } from '../../cri/gen/api.ts';
import type { IDMapping, NamespaceOption, UserNamespace } from '../../cri/gen/api.ts';
import type { Pod } from '../../kube/pod.ts';

/** The block of host ids of a pod with its own user namespace (KEP-127). */
export interface UserNamespaceIds {
  readonly firstHostId: number;
  readonly length: number;
}

/** Returns which host namespaces a pod shares, and how its containers share processes with each other. */
export function namespaceOptions(pod: Pod, userIds: UserNamespaceIds | undefined): NamespaceOption {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace } = pod.spec;
  const ownProcesses = shareProcessNamespace === true ? NamespaceMode.POD : NamespaceMode.CONTAINER;
  return {
    network: hostNetwork === true ? NamespaceMode.NODE : NamespaceMode.POD,
    pid: hostPID === true ? NamespaceMode.NODE : ownProcesses,
    ipc: hostIPC === true ? NamespaceMode.NODE : NamespaceMode.POD,
    targetId: '',
    usernsOptions: userNamespace(userIds),
  };
}

/**
 * Returns the namespaces of one container. A debug container joins the processes of its target, unless all containers
 * of the pod share processes anyway.
 */
export function containerNamespaceOptions(ofPod: NamespaceOption, targetId: string | undefined): NamespaceOption {
  if (targetId === undefined || ofPod.pid !== NamespaceMode.CONTAINER) return ofPod;
  return { ...ofPod, pid: NamespaceMode.TARGET, targetId };
}

export const idMappings = (ids: UserNamespaceIds | undefined): IDMapping[] =>
  ids === undefined ? [] : [{ hostId: ids.firstHostId, containerId: 0, length: ids.length }];

const userNamespace = (ids: UserNamespaceIds | undefined): UserNamespace => ({
  mode: ids === undefined ? NamespaceMode.NODE : NamespaceMode.POD,
  uids: idMappings(ids),
  gids: idMappings(ids),
});
