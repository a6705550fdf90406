import type { ContainerState, ContainerStatus } from '../../kube/pod.ts';

/**
 * The limit for all termination messages of one pod together, in bytes. Each container gets an even share. One
 * container's own limits are in `termination-message.ts`.
 */
export const MAX_POD_TERMINATION_MESSAGE_BYTES = 12 * 1024;

/**
 * Cuts the status's messages to the container's share, at whole characters. `containers` is the pod's number of
 * containers.
 */
export function withShortMessages(status: ContainerStatus, containers: number): ContainerStatus {
  const share = Math.floor(MAX_POD_TERMINATION_MESSAGE_BYTES / Math.max(containers, 1));
  if (!isLong(status.state, share) && !isLong(status.lastState, share)) return status;
  return {
    ...status,
    ...(status.state === undefined ? {} : { state: shortened(status.state, share) }),
    ...(status.lastState === undefined ? {} : { lastState: shortened(status.lastState, share) }),
  };
}

function isLong(state: ContainerState | undefined, share: number): boolean {
  const message = state?.terminated?.message;
  // A UTF-16 unit takes at most three bytes, so short texts need not be measured.
  return message !== undefined && message.length * 3 > share && Buffer.byteLength(message) > share;
}

function shortened(state: ContainerState, share: number): ContainerState {
  if (state.terminated?.message === undefined || !isLong(state, share)) return state;
  const bytes = Buffer.from(state.terminated.message);
  let end = share;
  // Continuation bytes start with the bits 10: step back to where the cut character begins.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { ...state, terminated: { ...state.terminated, message: bytes.toString('utf8', 0, end) } };
}
