import type { SandboxId } from '../../kube/ids.ts';
import type { Pod } from '../../kube/pod.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** Says whether a pod needs a (new) sandbox. `attempt` is that of the sandbox to create, or of the present one. */
export interface SandboxChange {
  readonly changed: boolean;
  readonly attempt: number;
  /** The newest sandbox; `undefined` when there is none, or when it has another network mode. */
  readonly sandboxId: SandboxId | undefined;
}

/**
 * Decides whether the sandbox is replaced. It is when there is none, when more than one is ready (the owner of the
 * pod's address is ambiguous), or when the newest is not ready. It also is when it has the other network mode or no
 * address.
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
