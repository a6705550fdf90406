import type { Round } from './sync-attempt.ts';

/**
 * Returns the runtime handler of the pod's RuntimeClass; empty for the runtime's default. `undefined` when unknown: the
 * reason was recorded in the round.
 */
export async function runtimeHandler(round: Round): Promise<string | undefined> {
  const { pod, tools } = round;
  const { runtimeClassName = '' } = pod.spec;
  if (runtimeClassName === '' || tools.objects === undefined) return '';
  const answer = await tools.objects.runtimeHandler(runtimeClassName);
  if (answer.type === 'found') return answer.value.handler;
  const why = answer.type === 'missing' ? `runtimeclass.node.k8s.io "${runtimeClassName}" not found` : answer.message;
  failedSandbox(round, `failed to get sandbox runtime: ${why}`);
  return undefined;
}

/** Records why the pod's sandbox cannot be created. */
export function failedSandbox(round: Round, detail: string): void {
  const message = `Failed to create pod sandbox: ${detail}`;
  round.tools.reports.event({ type: 'Warning', reason: 'FailedCreatePodSandBox', message });
  round.podFailed(message);
}
