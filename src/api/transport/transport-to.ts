import type { Clock } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import { readText } from '../../host/read-regular-file.ts';
import { packageVersion } from '../../package-root.ts';
import type { ApiTransport } from '../api-transport.ts';
import { openConnections } from './connections.ts';
import { runExecPlugin } from '../kubeconfig/exec-plugin.ts';
import { kubeconfigIdentity } from '../kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from './network-transport.ts';

/** Returns a transport to the API server of a kubeconfig, and the server's current address in the kubeconfig. */
export async function transportTo(
  kubeconfig: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<{ readonly transport: ApiTransport; readonly server: string }> {
  const source = kubeconfigIdentity(kubeconfig, {
    readFile: (path) => readText(path),
    runPlugin: runExecPlugin,
    now: () => clock.now(),
  });
  const userAgent = `hivelet/${packageVersion()} (${process.platform}/${process.arch})`;
  const transport = networkTransport({ source, open: openConnections, clock, log, userAgent });
  const server = await source.read().then(
    (identity) => identity.server,
    () => 'https://unknown',
  );
  return { transport, server };
}
