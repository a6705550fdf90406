import { systemClock, type Clock, type WallMs } from '../../actor/clock.ts';
import { excerpt } from '../../kube/text/excerpt.ts';
import { own } from '../../kube/text/own.ts';
import { runBounded } from '../../host/run-bounded.ts';
import type { ExecPlugin } from './kubeconfig.ts';

/** A credential that a plugin returned. */
export interface PluginCredential {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: string;
  readonly key?: string;
  /** Wall-clock milliseconds; infinite when the plugin does not report an expiry. */
  readonly expiresAt: WallMs;
}

export type PluginRunner = (plugin: ExecPlugin, cluster: { readonly server: string }) => Promise<PluginCredential>;

/** A plugin that does not answer within this time is killed. */
const PLUGIN_TIMEOUT_MS = 60_000;
const MOST_OUTPUT_BYTES = 1024 * 1024;

/**
 * Runs a plugin as client-go does: the request is in `KUBERNETES_EXEC_INFO`, the answer on the plugin's standard
 * output.
 */
export const runExecPlugin: PluginRunner = (plugin, cluster) => runWithin(plugin, cluster, systemClock);

const runWithin = async (
  plugin: ExecPlugin,
  { server }: { readonly server: string },
  clock: Pick<Clock, 'after'>,
): Promise<PluginCredential> => {
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = plugin;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: { server } }) },
  };
  const { output, complaint, problem } = await runBounded(
    {
      command,
      args,
      env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      withinMs: PLUGIN_TIMEOUT_MS,
      maxBytes: MOST_OUTPUT_BYTES,
    },
    clock,
  );
  if (problem === undefined) return credentialIn(output, apiVersion);
  const hint = installHint !== undefined && problem.includes('ENOENT') ? `; ${installHint}` : '';
  const said = complaint.trim() === '' ? '' : `: ${excerpt(complaint.trim(), 500)}`;
  throw new Error(`it ${problem}${hint}${said}`);
};

/** Reads an `ExecCredential`. Throws an error for people, which never repeats the plugin's output. */
export function credentialIn(output: string, apiVersion: string): PluginCredential {
  let read: { apiVersion?: unknown; kind?: unknown; status?: Record<string, unknown> };
  try {
    // Each member is checked before it is used.
    read = JSON.parse(output) as typeof read;
  } catch {
    throw new Error('its output is not JSON');
  }
  if (read.kind !== 'ExecCredential') throw new Error('its output is not an ExecCredential');
  if (read.apiVersion !== apiVersion) throw new Error(`its output is not of apiVersion ${apiVersion}`);
  const text = (field: string): string | undefined => {
    const value = own(read.status, field);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const token = text('token');
  const certificate = text('clientCertificateData');
  const key = text('clientKeyData');
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('it returned a certificate without its key, or a key without its certificate');
  if (token === undefined && certificate === undefined)
    throw new Error('it returned neither a token nor a certificate');
  const expires = text('expirationTimestamp');
  const expiresAt = expires === undefined ? Infinity : Date.parse(expires);
  if (Number.isNaN(expiresAt)) throw new Error('its expirationTimestamp is not a time');
  return {
    ...(token !== undefined && { token }),
    ...(certificate !== undefined && key !== undefined && { certificate, key }),
    expiresAt,
  };
}
