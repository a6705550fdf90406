import { messageOf } from '../../actor/fault.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { readText } from '../../host/read-regular-file.ts';
import type { Clock } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import type { ApiSettings } from '../../agent/settings.ts';
import { certificateStore } from '../../api/certificates/certificate-store.ts';
import { newKeyAndRequest, validityOf } from '../../api/certificates/client-certificate.ts';
import type { Identity } from '../../api/kubeconfig/kubeconfig-identity.ts';
import { requestCertificate } from '../../api/certificates/request-certificate.ts';
import { packageVersion } from '../../package-root.ts';
import { UserError } from '../user-error.ts';

const CALL_TIMEOUT_MS = 30_000;
const AGAIN_MS = { first: 1_000, longest: 60_000 };

/**
 * Sees to it that there is a kubeconfig with a client certificate that holds: with what the bootstrap kubeconfig allows, asks
 * for one as this node (TLS bootstrapping) and writes both. Goes on trying until it has one. Does nothing where there is one.
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
    let waitMs = AGAIN_MS.first;
    for (;;) {
      log.info({ server: identity.server, node: nodeName }, 'asking the API server for a client certificate');
      const made = await newKeyAndRequest(nodeName);
      const outcome = await requestCertificate(made, {
        call: (request) => transport.call(request, CALL_TIMEOUT_MS),
        clock,
      });
      if (outcome.ok) {
        await store.write(`${outcome.certificate.trimEnd()}\n${made.key}`, clock.now());
        break;
      }
      log.warn({ problem: outcome.problem }, 'no client certificate yet; trying again');
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
      waitMs = Math.min(waitMs * 2, AGAIN_MS.longest);
    }
  } finally {
    transport.close();
  }
  await mkdir(dirname(kubeconfig), { recursive: true, mode: 0o755 });
  await writeFile(kubeconfig, kubeconfigFor(identity, store.currentFile), { mode: 0o600 });
  log.info({ kubeconfig }, 'this node has a client certificate');
}

/** A kubeconfig that names other credentials than ours is its writer's business; one that names ours needs them to hold. */
async function isUsable(
  kubeconfig: string,
  { current, now }: { readonly current: string | undefined; readonly now: number },
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
