import type { WallMs } from '../../actor/clock.ts';
import { X509Certificate } from 'node:crypto';
import { readText } from '../../host/read-regular-file.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';

/**
 * Rejects a kubeconfig that could never work, before anything is started. Such a kubeconfig is invalid, or its client
 * certificate has expired and nothing can renew it. Sends no request and runs no plugin. `now` is wall-clock
 * milliseconds.
 */
export async function checkApiAccess({ api }: Pick<AgentSettings, 'api'>, now: WallMs): Promise<void> {
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
    `the client certificate of ${api.kubeconfig} expired on ${new Date(ended).toISOString()}, and ` +
      `${api.bootstrapKubeconfig === undefined ? 'there is no bootstrap kubeconfig' : 'the bootstrap kubeconfig cannot renew this certificate'}: ` +
      'issue a new client certificate and restart the agent; containers keep running',
  );
}

/** Returns wall-clock milliseconds. `undefined` for an invalid certificate: the connection reports that problem. */
function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
