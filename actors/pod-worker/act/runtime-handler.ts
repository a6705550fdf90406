import type { Round } from './sync-attempt.ts';

/** The runtime's handler for the pod's class; empty is its own default. Undefined: the round has been told why there is none. */
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

/** The pod's sandbox cannot be made, and why. */
export function failedSandbox(round: Round, detail: string): void {
  const message = `Failed to create pod sandbox: ${detail}`;
  round.tools.event({ type: 'Warning', reason: 'FailedCreatePodSandBox', message });
  round.podFailed(message);
}
