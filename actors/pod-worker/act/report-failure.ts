import type { ContainerFailure } from '../protocol.ts';
import type { ReportTools } from '../tools.ts';
import type { Stopped } from '../decide/step-result.ts';

type Reports = Pick<ReportTools, 'event'>;

/** Reports why a container cannot be created or started. */
export function failContainer(
  { event }: Reports,
  name: string,
  { reason, message, left }: Pick<ContainerFailure, 'reason' | 'message' | 'left'>,
): Stopped {
  event({ type: 'Warning', reason: 'Failed', message: `Error: ${message}`, container: name });
  const failure = { reason, message, until: undefined, ...(left !== undefined && { left }) };
  return { ok: false, stop: { type: 'container-failed', failure } };
}

/** Reports why the pod's sandbox cannot be created. */
export function failSandbox({ event }: Reports, detail: string): Stopped {
  const message = `Failed to create pod sandbox: ${detail}`;
  event({ type: 'Warning', reason: 'FailedCreatePodSandBox', message });
  return { ok: false, stop: { type: 'pod-failed', message } };
}
