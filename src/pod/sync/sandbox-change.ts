import type { SandboxId } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** Whether a pod needs a (new) sandbox. `attempt` is the one to create, or that of the sandbox that stays. */
export interface SandboxChange {
  readonly changed: boolean;
  readonly attempt: number;
  /** The newest sandbox, unless there is none or it belongs to another network mode. */
  readonly sandboxId: SandboxId | undefined;
}

/**
 * The sandbox is replaced when there is none, when more than one is ready (which one would own the pod's address?), when
 * the newest is not ready, when it was made for the other network mode, and when it was given no address.
 */
export function sandboxChange(pod: Pod, status: RuntimePodStatus): SandboxChange {
  const newest = status.sandboxes[0];
  if (newest === undefined) return { changed: true, attempt: 0, sandboxId: undefined };

  let ready = 0;
  for (const sandbox of status.sandboxes) if (sandbox.state === 'ready') ready += 1;
  const replace: SandboxChange = { changed: true, attempt: newest.attempt + 1, sandboxId: newest.id };
  if (ready > 1 || newest.state !== 'ready') return replace;

  const wantsHostNetwork = pod.spec.hostNetwork === true;
  if (newest.hostNetwork !== wantsHostNetwork) return { ...replace, sandboxId: undefined };
  if (!wantsHostNetwork && newest.ip === '') return replace;
  return { changed: false, attempt: newest.attempt, sandboxId: newest.id };
}
