import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { RuntimeHandlerFacts } from '../../../src/node/object/node-facts.ts';
import type { RuntimeTools } from '../tools.ts';
import { failSandbox } from './report-failure.ts';
import type { Step } from '../decide/step-result.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** Returns the runtime handler of the pod's RuntimeClass; empty for the runtime's default. */
export async function runtimeHandler({ pod, tools }: SyncAttempt): Promise<Step<string>> {
  const { runtimeClassName = '' } = pod.spec;
  if (runtimeClassName === '' || tools.objects === undefined) return DEFAULT_HANDLER;
  const answer = await tools.objects.runtimeHandler(runtimeClassName);
  if (answer.type === 'found') return { ok: true, value: answer.value.handler };
  const why = answer.type === 'missing' ? `runtimeclass.node.k8s.io "${runtimeClassName}" not found` : answer.message;
  return failSandbox(tools.reports, `failed to get sandbox runtime: ${why}`);
}

const DEFAULT_HANDLER: Step<string> = { ok: true, value: '' };

/**
 * Returns the features of the runtime's handler. The runtime is asked each time, for few pods need it: a replaced
 * runtime is never mistaken for the old one.
 */
export async function handlerFeatures(
  { cri }: Pick<RuntimeTools, 'cri'>,
  handler: string,
): Promise<CriOutcome<RuntimeHandlerFacts>> {
  const status = await cri.call('Status', { verbose: false });
  if (!status.ok) return status;
  const features = status.value.runtimeHandlers.find(({ name }) => name === handler)?.features;
  const { recursiveReadOnlyMounts = false, userNamespaces = false } = features ?? {};
  return { ok: true, value: { recursiveReadOnlyMounts, userNamespaces } };
}
