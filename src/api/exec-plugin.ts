import { spawn } from 'node:child_process';
import { own } from '../kube/own.ts';
import type { ExecPlugin } from './kubeconfig.ts';

/** What a credential plugin gave. */
export interface PluginCredential {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: string;
  readonly key?: string;
  /** Wall-clock milliseconds; infinite when it does not say. */
  readonly expiresAt: number;
}

export type PluginRunner = (plugin: ExecPlugin, cluster: { readonly server: string }) => Promise<PluginCredential>;

/** A plugin that says nothing for so long is ended. */
const PLUGIN_TIMEOUT_MS = 60_000;
const MOST_OUTPUT_BYTES = 1024 * 1024;

/** Runs a plugin as client-go does: what it is asked in `KUBERNETES_EXEC_INFO`, what it answers on its standard output. */
export const runExecPlugin: PluginRunner = async (plugin, { server }) => {
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = plugin;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(provideClusterInfo && { cluster: { server } }) },
  };
  const child = spawn(command, args, {
    env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PLUGIN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [output, complaint, end] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(`${error.message}${installHint === undefined ? '' : `; ${installHint}`}`));
      child.once('close', (code, signal) =>
        resolve(code === 0 ? undefined : `it ended with ${signal === null ? `exit code ${code}` : signal}`),
      );
    }),
  ]);
  if (end !== undefined) throw new Error(complaint === '' ? end : `${end}: ${complaint.trim().slice(0, 500)}`);
  return credentialIn(output, apiVersion);
};

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size <= MOST_OUTPUT_BYTES) parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Reads an `ExecCredential`. Throws an error for people; it never repeats what it read. */
export function credentialIn(output: string, apiVersion: string): PluginCredential {
  let read: { apiVersion?: unknown; kind?: unknown; status?: Record<string, unknown> };
  try {
    read = JSON.parse(output) as typeof read;
  } catch {
    throw new Error('its output is not JSON');
  }
  if (read.kind !== 'ExecCredential') throw new Error('its output is no ExecCredential');
  if (read.apiVersion !== apiVersion) throw new Error(`its output is not of apiVersion ${apiVersion}`);
  const text = (field: string): string | undefined => {
    const value = own(read.status, field);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const token = text('token');
  const certificate = text('clientCertificateData');
  const key = text('clientKeyData');
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('it gave a certificate or a key without the other');
  if (token === undefined && certificate === undefined) throw new Error('it gave neither a token nor a certificate');
  const expires = text('expirationTimestamp');
  const expiresAt = expires === undefined ? Infinity : Date.parse(expires);
  if (Number.isNaN(expiresAt)) throw new Error('its expirationTimestamp is no time');
  return {
    ...(token !== undefined && { token }),
    ...(certificate !== undefined && key !== undefined && { certificate, key }),
    expiresAt,
  };
}
