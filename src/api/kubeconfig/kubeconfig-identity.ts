import type { WallMs } from '../../actor/clock.ts';
import type { ApiAccess, Material } from './kubeconfig.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { kubeconfigProblemText } from './kubeconfig-fields.ts';
import type { PluginRunner } from './exec-plugin.ts';
import { messageOf } from '../../kube/text/message-of.ts';

/** The credentials of a connection and of each request on it. Plain data. */
export interface Identity {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsIdentity;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface TlsIdentity {
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

/**
 * `true` if connections made with one identity also serve the other: only tokens differ, which each request
 * carries.
 */
export const sameConnection = (one: Identity, other: Identity): boolean =>
  one.server === other.server &&
  one.proxyUrl === other.proxyUrl &&
  JSON.stringify(one.tls) === JSON.stringify(other.tls);

export const sameIdentity = (one: Identity, other: Identity): boolean =>
  sameConnection(one, other) && JSON.stringify(one.headers) === JSON.stringify(other.headers);

/** The agent's own identity towards the API server. */
export interface IdentitySource {
  /** Reads the identity from its files as they are now. Rejects with an `IdentityError` that names the file. */
  read(): Promise<Identity>;
  /** Records that the API server refused the latest identity: a cached credential of a plugin is not used again. */
  discardCredentials(): void;
}

/** A kubeconfig, or a file it names, cannot be used. The message is for people and names file, field and value. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}

export interface IdentityTools {
  readonly readFile: (path: string) => Promise<string>;
  readonly runPlugin: PluginRunner;
  /** Wall-clock milliseconds. */
  readonly now: () => WallMs;
}

/** A plugin's credential is renewed this long before it expires. */
const PLUGIN_MARGIN_MS = 10_000;

/** The identity in a kubeconfig. The files are read each time, so renewing a credential means writing its file. */
export function kubeconfigIdentity(kubeconfig: string, { readFile, runPlugin, now }: IdentityTools): IdentitySource {
  let parsed: { readonly text: string; readonly access: ApiAccess } | undefined;
  let plugged: (Partial<Pick<TlsIdentity, 'certificate' | 'key'>> & { token?: string; expiresAt: WallMs }) | undefined;

  const read = async (path: string, what: string): Promise<string> => {
    try {
      return await readFile(path);
    } catch (error) {
      throw new IdentityError(`${what} ${path} cannot be read: ${messageOf(error)}`);
    }
  };
  const pem = async (material: Material | undefined, what: string): Promise<string | undefined> => {
    if (material === undefined) return undefined;
    if ('pem' in material) return material.pem;
    const text = await read(material.file, what);
    if (!text.includes('-----BEGIN ')) throw new IdentityError(`${what} ${material.file} holds no PEM`);
    return text;
  };
  const access = async (): Promise<ApiAccess> => {
    const text = await read(kubeconfig, 'kubeconfig');
    if (parsed?.text === text) return parsed.access;
    const result = readKubeconfig(text, kubeconfig);
    if (!result.ok) {
      throw new IdentityError(result.problems.map((each) => kubeconfigProblemText(kubeconfig, each)).join('\n'));
    }
    parsed = { text, access: result.access };
    plugged = undefined;
    return result.access;
  };
  const authorization = async ({ login, ...cluster }: ApiAccess): Promise<string | undefined> => {
    switch (login.kind) {
      case 'none':
        return undefined;
      case 'token':
        return `Bearer ${login.token}`;
      case 'basic':
        return `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
      case 'token-file': {
        const token = (await read(login.file, 'token file')).trim();
        if (token === '') throw new IdentityError(`token file ${login.file} is empty`);
        return `Bearer ${token}`;
      }
      case 'exec': {
        if (plugged === undefined || now() >= plugged.expiresAt - PLUGIN_MARGIN_MS) {
          plugged = await runPlugin(login.plugin, { server: cluster.server }).catch((error: unknown) => {
            throw new IdentityError(
              `kubeconfig ${kubeconfig}: credential plugin ${login.plugin.command}: ${messageOf(error)}`,
            );
          });
        }
        return plugged.token === undefined ? undefined : `Bearer ${plugged.token}`;
      }
      default:
        return login satisfies never;
    }
  };
  return {
    async read() {
      const found = await access();
      const bearer = await authorization(found);
      const isPlugin = found.login.kind === 'exec';
      return {
        server: found.server,
        proxyUrl: found.proxyUrl,
        tls: {
          ca: await pem(found.ca, 'certificate-authority'),
          certificate:
            (isPlugin ? plugged?.certificate : undefined) ??
            (await pem(found.clientCertificate?.certificate, 'client-certificate')),
          key: (isPlugin ? plugged?.key : undefined) ?? (await pem(found.clientCertificate?.key, 'client-key')),
          serverName: found.serverName,
          insecureSkipVerify: found.insecureSkipTlsVerify,
        },
        headers: { ...found.impersonation, ...(bearer !== undefined && { authorization: bearer }) },
      };
    },
    discardCredentials: () => void (plugged = undefined),
  };
}
