import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { makeDirectoriesLater } from '../../host/exact-modes.ts';
import { readText } from '../../host/read-regular-file.ts';
import type { Clock, WallMs } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import type { ApiSettings } from '../../agent/settings.ts';
import { certificateStore } from '../../api/certificates/certificate-store.ts';
import { newKeyAndRequest, validityOf } from '../../api/certificates/client-certificate.ts';
import type { Identity } from '../../api/kubeconfig/kubeconfig-identity.ts';
import { requestCertificate } from '../../api/certificates/request-certificate.ts';
import { packageVersion } from '../../package-root.ts';
import { UserError } from '../user-error.ts';
import { nextBackOffMs } from '../../actor/back-off.ts';
import { messageOf } from '../../kube/text/message-of.ts';

const CALL_TIMEOUT_MS = 30_000;
const AGAIN = { initialMs: 1_000, maxMs: 60_000 };

/**
 * Makes sure that there is a kubeconfig with a valid client certificate. With the bootstrap kubeconfig, requests a
 * certificate for this node (TLS bootstrapping) and writes both. Retries until it has one. Does nothing when there is
 * one already.
 */
export async function bootstrapCredentials(
  { kubeconfig, bootstrapKubeconfig, certDir }: ApiSettings,
  { nodeName, clock, log }: { readonly nodeName: string; readonly clock: Clock; readonly log: Log },
): Promise<void> {
  if (bootstrapKubeconfig === undefined) return;
  const store = certificateStore(certDir);
  if (await isUsable(kubeconfig, { current: await store.read(), now: clock.now() })) return;
  const { kubeconfigIdentity } = await import('../../api/kubeconfig/kubeconfig-identity.ts');
  const { runExecPlugin } = await import('../../api/kubeconfig/exec-plugin.ts');
  const { networkTransport } = await import('../../api/transport/network-transport.ts');
  const { openConnections } = await import('../../api/transport/connections.ts');
  const source = kubeconfigIdentity(bootstrapKubeconfig, {
    readFile: (path) => readText(path),
    runPlugin: runExecPlugin,
    now: () => clock.now(),
  });
  const identity = await source.read().catch((error: unknown) => {
    throw new UserError(messageOf(error));
  });
  const userAgent = `hivelet/${packageVersion()} (bootstrap)`;
  const transport = networkTransport({ source, open: openConnections, clock, log, userAgent });
  try {
    let waitMs = AGAIN.initialMs;
    for (;;) {
      log.info({ server: identity.server, node: nodeName }, 'requesting a client certificate from the API server');
      const made = await newKeyAndRequest(nodeName);
      const outcome = await requestCertificate(made, {
        call: (request) => transport.call(request, CALL_TIMEOUT_MS),
        clock,
      });
      if (outcome.ok) {
        await store.write(`${outcome.certificate.trimEnd()}\n${made.key}`, clock.now());
        break;
      }
      log.warn({ problem: outcome.problem }, 'no client certificate yet; retrying');
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
      waitMs = nextBackOffMs(waitMs, AGAIN);
    }
  } finally {
    transport.close();
  }
  await makeDirectoriesLater(dirname(kubeconfig), 0o755);
  await writeFile(kubeconfig, kubeconfigFor(identity, store.currentFile), { mode: 0o600 });
  log.info({ kubeconfig }, 'client certificate received and stored');
}

/**
 * A kubeconfig that names other credentials is not checked. One that names the agent's own credentials needs them to be
 * valid.
 */
async function isUsable(
  kubeconfig: string,
  { current, now }: { readonly current: string | undefined; readonly now: WallMs },
): Promise<boolean> {
  const text = await readText(kubeconfig).catch(() => undefined);
  if (text === undefined) return false;
  if (!text.includes('kubelet-client-current.pem')) return true;
  const validity = current === undefined ? undefined : validityOf(current);
  return validity !== undefined && now < validity.until;
}

function kubeconfigFor({ server, proxyUrl, tls }: Identity, currentFile: string): string {
  const cluster = {
    server,
    ...(tls.ca !== undefined && { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(tls.serverName !== undefined && { 'tls-server-name': tls.serverName }),
    ...(tls.insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  const user = { 'client-certificate': currentFile, 'client-key': currentFile };
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'default-cluster', cluster }],
      users: [{ name: 'default-auth', user }],
      contexts: [
        {
          name: 'default-context',
          context: { cluster: 'default-cluster', user: 'default-auth', namespace: 'default' },
        },
      ],
      'current-context': 'default-context',
    },
    { lineWidth: 0 },
  );
}
