import type { Clock } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import { readText } from '../../host/read-regular-file.ts';
import { packageVersion } from '../../package-root.ts';
import type { ApiTransport } from '../api-transport.ts';
import { openConnections } from './connections.ts';
import { PROTOBUF, type ContentForm } from './content-forms.ts';
import { runExecPlugin } from '../kubeconfig/exec-plugin.ts';
import { kubeconfigIdentity } from '../kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from './network-transport.ts';

export interface TransportToOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The setting `contentType`. */
  readonly contentType: string;
  /** Counts the answers and watches of each resource by their form. */
  readonly answered?: (resource: string, form: ContentForm) => void;
}

/** Returns a transport to the API server of a kubeconfig, and the server's current address in the kubeconfig. */
export async function transportTo(
  kubeconfig: string,
  { clock, log, contentType, answered }: TransportToOptions,
): Promise<{ readonly transport: ApiTransport; readonly server: string }> {
  const source = kubeconfigIdentity(kubeconfig, {
    readFile: (path) => readText(path),
    runPlugin: runExecPlugin,
    now: () => clock.now(),
  });
  const userAgent = `hivelet/${packageVersion()} (${process.platform}/${process.arch})`;
  // The decoders are loaded only where they are used.
  const codec = contentType === PROTOBUF ? (await import('../protobuf/protobuf-codec.ts')).protobufCodec() : undefined;
  const transport = networkTransport({
    source,
    open: openConnections,
    clock,
    log,
    userAgent,
    ...(codec !== undefined && { codec }),
    ...(answered !== undefined && { answered }),
  });
  const server = await source.read().then(
    (identity) => identity.server,
    () => 'https://unknown',
  );
  return { transport, server };
}
