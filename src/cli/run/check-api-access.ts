import { messageOf } from '../../actor/fault.ts';
import { X509Certificate } from 'node:crypto';
import { readText } from '../../host/read-regular-file.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { UserError } from '../user-error.ts';

/**
 * Refuses a kubeconfig that could never work, before anything is started: one that says nonsense, or whose client certificate
 * has ended without anything that could bring another. Nothing is asked of the server, no plugin is run. `now` is wall-clock
 * milliseconds.
 */
export async function checkApiAccess({ api }: Pick<AgentSettings, 'api'>, now: number): Promise<void> {
  if (api === undefined) return;
  const { kubeconfigIdentity } = await import('../../api/kubeconfig/kubeconfig-identity.ts');
  const source = kubeconfigIdentity(api.kubeconfig, {
    readFile: (path) => readText(path),
    runPlugin: () => Promise.resolve({ expiresAt: Infinity }),
    now: () => 0,
  });
  const { tls, headers } = await source.read().catch((error: unknown) => {
    throw new UserError(messageOf(error));
  });
  const ended = tls.certificate === undefined ? undefined : endOf(tls.certificate);
  if (ended === undefined || now < ended || headers['authorization'] !== undefined) return;
  throw new UserError(
    `the client certificate of ${api.kubeconfig} has ended on ${new Date(ended).toISOString()}, and ` +
      `${api.bootstrapKubeconfig === undefined ? 'there is no bootstrap kubeconfig' : 'it is none that the bootstrap kubeconfig could renew'}: ` +
      'give this node another one and start the agent again; containers run on',
  );
}

/** Wall-clock milliseconds; undefined for what is no certificate: whoever connects with it says so. */
function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
