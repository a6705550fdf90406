import { readFile } from 'node:fs/promises';
import type { AgentSettings } from '../agent.ts';
import { messageOf, UserError } from './user-error.ts';

/** Refuses a kubeconfig that could never work, before anything is started. Nothing is asked of the server, no plugin is run. */
export async function checkApiAccess({ api }: Pick<AgentSettings, 'api'>): Promise<void> {
  if (api === undefined) return;
  const { kubeconfigIdentity } = await import('../api/identity.ts');
  const source = kubeconfigIdentity(api.kubeconfig, {
    readFile: (path) => readFile(path, 'utf8'),
    runPlugin: () => Promise.resolve({ expiresAt: Infinity }),
    now: () => 0,
  });
  await source.read().catch((error: unknown) => {
    throw new UserError(messageOf(error));
  });
}
