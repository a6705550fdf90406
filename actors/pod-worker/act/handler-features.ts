import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { RuntimeHandlerFacts } from '../../../src/node/object/node-facts.ts';
import type { Round } from './sync-attempt.ts';

/**
 * Returns the features of the runtime's handler. The runtime is asked each time, for few pods need it: a replaced
 * runtime is never mistaken for the old one.
 */
export async function handlerFeatures(round: Round, handler: string): Promise<CriOutcome<RuntimeHandlerFacts>> {
  const status = await round.tools.runtime.cri.call('Status', { verbose: false });
  if (!status.ok) return status;
  const features = status.value.runtimeHandlers.find(({ name }) => name === handler)?.features;
  const { recursiveReadOnlyMounts = false, userNamespaces = false } = features ?? {};
  return { ok: true, value: { recursiveReadOnlyMounts, userNamespaces } };
}
