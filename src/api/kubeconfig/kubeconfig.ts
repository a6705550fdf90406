import { dirname, resolve } from 'node:path';
import { put } from '../../kube/text/own.ts';
import { isBase64, optionalText, records, texts, type Entry, type KubeconfigProblem } from './kubeconfig-fields.ts';
import { parseYaml } from '../../kube/text/parse-yaml.ts';
import { trimEndOf } from '../../kube/text/trim-run.ts';

/**
 * The address of an API server and the agent's identity there, from the current context of a kubeconfig. Credential
 * files are not read yet.
 */
export interface ApiAccess {
  /** Without a trailing slash. */
  readonly server: string;
  /** The name that the server's certificate must carry. `undefined` when it is the host of `server`. */
  readonly serverName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly proxyUrl: string | undefined;
  readonly ca: Material | undefined;
  readonly clientCertificate: { readonly certificate: Material; readonly key: Material } | undefined;
  readonly login: Login;
  /** Impersonation headers: header names to their values. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
}

/** PEM, or the file that holds it. */
export type Material = { readonly pem: string } | { readonly file: string };

export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly plugin: ExecPlugin };

/** A credential plugin (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly provideClusterInfo: boolean;
  readonly installHint: string | undefined;
}

export type ReadKubeconfig =
  | { readonly ok: true; readonly access: ApiAccess }
  | { readonly ok: false; readonly problems: readonly KubeconfigProblem[] };

/**
 * Reads the current context of a kubeconfig. Paths in it are relative to its folder. All problems are returned at
 * once, each with its field and, unless secret, its value.
 *
 * The Kubernetes client library for JavaScript would read a kubeconfig too, at 75 MB of memory; a test compares the
 * two.
 */
export function readKubeconfig(text: string, file: string): ReadKubeconfig {
  const parsed = parseYaml(text, { reading: { prettyErrors: true } });
  if (!parsed.ok) return { ok: false, problems: [{ path: '', expected: `YAML or JSON (${parsed.problem})` }] };
  const root = parsed.value;
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    return {
      ok: false,
      problems: [{ path: '', expected: 'a kubeconfig: a mapping with clusters, users and contexts' }],
    };
  }
  const problems: KubeconfigProblem[] = [];
  // A mapping, whose members are unknown.
  const access = accessOf(root as Entry, { folder: dirname(resolve(file)), problems });
  return access === undefined || problems.length > 0 ? { ok: false, problems } : { ok: true, access };
}

interface Reading {
  readonly folder: string;
  readonly problems: KubeconfigProblem[];
}

function accessOf(root: Entry, reading: Reading): ApiAccess | undefined {
  const { problems } = reading;
  const current = optionalText(root, 'current-context', { path: '', problems });
  if (current === undefined) {
    problems.push({ path: 'current-context', expected: 'the name of a context' });
    return undefined;
  }
  const context = named(root, { list: 'contexts', name: current, from: 'current-context' }, reading);
  if (context === undefined) return undefined;
  const at = { path: context.path, problems };
  const clusterName = optionalText(context.entry, 'cluster', at);
  const userName = optionalText(context.entry, 'user', at);
  if (clusterName === undefined) problems.push({ path: `${context.path}.cluster`, expected: 'the name of a cluster' });
  const cluster =
    clusterName === undefined
      ? undefined
      : named(root, { list: 'clusters', name: clusterName, from: `${context.path}.cluster` }, reading);
  const user =
    userName === undefined
      ? { entry: {}, path: 'users' }
      : named(root, { list: 'users', name: userName, from: `${context.path}.user` }, reading);
  if (cluster === undefined || user === undefined) return undefined;
  const server = serverOf(cluster, reading);
  const identity = identityOf(user, reading);
  return server === undefined ? undefined : { ...server, ...identity };
}

interface Found {
  readonly entry: Entry;
  readonly path: string;
}

const innerName = { contexts: 'context', clusters: 'cluster', users: 'user' } as const;

function named(
  root: Entry,
  { list, name, from }: { readonly list: keyof typeof innerName; readonly name: string; readonly from: string },
  { problems }: Reading,
): Found | undefined {
  const entries = records(root, list, { problems });
  const index = entries.findIndex((entry) => entry['name'] === name);
  const found = entries[index];
  if (found === undefined) {
    const names = entries.map((entry) => JSON.stringify(entry['name'])).join(', ');
    const there = names === '' ? `and ${list} names none` : `and ${list} names ${names}`;
    problems.push({ path: from, written: JSON.stringify(name), expected: `a name in ${list}, ${there}` });
    return undefined;
  }
  const path = `${list}[${index}].${innerName[list]}`;
  const inner = found[innerName[list]];
  if (inner === undefined || inner === null) return { entry: {}, path };
  if (typeof inner !== 'object' || Array.isArray(inner)) {
    problems.push({ path, written: JSON.stringify(inner), expected: 'a mapping' });
    return undefined;
  }
  // A mapping, whose members are unknown.
  return { entry: inner as Entry, path };
}

function serverOf(
  { entry, path }: Found,
  reading: Reading,
): Pick<ApiAccess, 'server' | 'serverName' | 'insecureSkipTlsVerify' | 'proxyUrl' | 'ca'> | undefined {
  const at = { path, problems: reading.problems };
  const server = urlAt({ entry, path }, { field: 'server', protocols: ['https:', 'http:'] }, reading);
  const proxyUrl = urlAt({ entry, path }, { field: 'proxy-url', protocols: ['http:', 'https:', 'socks5:'] }, reading);
  const insecure = entry['insecure-skip-tls-verify'];
  if (insecure !== undefined && typeof insecure !== 'boolean') {
    const expected = 'true or false';
    at.problems.push({ path: `${path}.insecure-skip-tls-verify`, written: JSON.stringify(insecure), expected });
  }
  const ca = materialOf({ entry, path }, 'certificate-authority', reading);
  if (insecure === true && ca !== undefined) {
    const expected = 'no certificate-authority beside it: it would not be looked at';
    at.problems.push({ path: `${path}.insecure-skip-tls-verify`, written: 'true', expected });
  }
  const serverName = optionalText(entry, 'tls-server-name', at);
  if (server === undefined) {
    if (entry['server'] === undefined)
      at.problems.push({ path: `${path}.server`, expected: 'the URL of an API server' });
    return undefined;
  }
  return { server: trimEndOf(server, '/'), serverName, insecureSkipTlsVerify: insecure === true, proxyUrl, ca };
}

function urlAt(
  { entry, path }: Found,
  { field, protocols }: { readonly field: string; readonly protocols: readonly string[] },
  { problems }: Reading,
): string | undefined {
  const written = optionalText(entry, field, { path, problems });
  if (written === undefined) return undefined;
  // Client libraries treat `host:port` as https.
  const text = written.includes('://') || field !== 'server' ? written : `https://${written}`;
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  const expected = `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  problems.push({ path: `${path}.${field}`, written: JSON.stringify(written), expected });
  return undefined;
}

function identityOf(found: Found, reading: Reading): Pick<ApiAccess, 'clientCertificate' | 'login' | 'impersonation'> {
  const { path } = found;
  const certificate = materialOf(found, 'client-certificate', reading);
  const key = materialOf(found, 'client-key', reading);
  if ((certificate === undefined) !== (key === undefined)) {
    const [missing, present] =
      certificate === undefined ? ['client-certificate', 'client-key'] : ['client-key', 'client-certificate'];
    reading.problems.push({ path: `${path}.${missing}`, expected: `the other half of ${present}` });
  }
  return {
    clientCertificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
    login: loginOf(found, reading),
    impersonation: impersonationOf(found, reading),
  };
}

function materialOf({ entry, path }: Found, field: string, { folder, problems }: Reading): Material | undefined {
  // As everywhere in Kubernetes, data wins over a file.
  const data = optionalText(entry, `${field}-data`, { path, problems, secret: true });
  if (data !== undefined) {
    if (isBase64(data)) return { pem: Buffer.from(data, 'base64').toString('utf8') };
    problems.push({ path: `${path}.${field}-data`, expected: 'base64' });
    return undefined;
  }
  const file = optionalText(entry, field, { path, problems });
  return file === undefined ? undefined : { file: resolve(folder, file) };
}

function loginOf({ entry, path }: Found, { folder, problems }: Reading): Login {
  const at = { path, problems };
  const token = optionalText(entry, 'token', { ...at, secret: true });
  const tokenFile = optionalText(entry, 'tokenFile', at);
  const username = optionalText(entry, 'username', at);
  const password = optionalText(entry, 'password', { ...at, secret: true });
  const exec = entry['exec'];
  if (entry['auth-provider'] !== undefined && entry['auth-provider'] !== null) {
    problems.push({
      path: `${path}.auth-provider`,
      expected: 'nothing: Kubernetes has dropped these; a plugin goes into exec',
    });
  }
  const given = [
    ...(token !== undefined || tokenFile !== undefined ? ['token'] : []),
    ...(username !== undefined || password !== undefined ? ['username'] : []),
    ...(exec !== undefined && exec !== null ? ['exec'] : []),
  ];
  if (given.length > 1) problems.push({ path, expected: `one way to log in; there are ${given.join(' and ')}` });
  if (tokenFile !== undefined) return { kind: 'token-file', file: resolve(folder, tokenFile) };
  if (token !== undefined) return { kind: 'token', token };
  if (exec !== undefined && exec !== null) return execOf(exec, { folder, problems, path: `${path}.exec` });
  if (username !== undefined || password !== undefined) {
    return { kind: 'basic', username: username ?? '', password: password ?? '' };
  }
  return { kind: 'none' };
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function execOf(value: unknown, { folder, problems, path }: Reading & { readonly path: string }): Login {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ path, expected: 'a mapping with a command' });
    return { kind: 'none' };
  }
  // A mapping, whose members are unknown.
  const entry = value as Entry;
  const at = { path, problems };
  const command = optionalText(entry, 'command', at);
  const apiVersion = optionalText(entry, 'apiVersion', at);
  if (command === undefined) problems.push({ path: `${path}.command`, expected: 'the program to run' });
  if (apiVersion === undefined || !execVersions.includes(apiVersion)) {
    const written = apiVersion === undefined ? {} : { written: JSON.stringify(apiVersion) };
    problems.push({ path: `${path}.apiVersion`, ...written, expected: execVersions.join(' or ') });
  }
  if (entry['interactiveMode'] === 'Always') {
    problems.push({
      path: `${path}.interactiveMode`,
      written: '"Always"',
      expected: 'Never or IfAvailable: there is no terminal',
    });
  }
  const env: Record<string, string> = {};
  for (const each of records(entry, 'env', { problems, path })) {
    const name = optionalText(each, 'name', { path: `${path}.env`, problems });
    if (name !== undefined)
      put(env, name, optionalText(each, 'value', { path: `${path}.env`, problems, secret: true }) ?? '');
  }
  return {
    kind: 'exec',
    plugin: {
      apiVersion: apiVersion ?? '',
      // A bare command name is looked up in PATH; anything else is a path.
      command: command?.includes('/') === true ? resolve(folder, command) : (command ?? ''),
      args: texts(entry['args'], { path: `${path}.args`, problems }),
      env,
      provideClusterInfo: entry['provideClusterInfo'] === true,
      installHint: optionalText(entry, 'installHint', at),
    },
  };
}

function impersonationOf({ entry, path }: Found, { problems }: Reading): ApiAccess['impersonation'] {
  const at = { path, problems };
  const headers: Record<string, string | readonly string[]> = {};
  const as = optionalText(entry, 'as', at);
  if (as !== undefined) headers['Impersonate-User'] = as;
  const uid = optionalText(entry, 'as-uid', at);
  if (uid !== undefined) headers['Impersonate-Uid'] = uid;
  const groups = entry['as-groups'];
  if (groups !== undefined && groups !== null) {
    headers['Impersonate-Group'] = texts(groups, { path: `${path}.as-groups`, problems });
  }
  const extra = entry['as-user-extra'] ?? {};
  if (typeof extra !== 'object' || Array.isArray(extra)) {
    problems.push({ path: `${path}.as-user-extra`, written: JSON.stringify(extra), expected: 'lists of text by name' });
    return headers;
  }
  for (const [name, values] of Object.entries(extra)) {
    const at = `${path}.as-user-extra[${JSON.stringify(name)}]`;
    const read = texts(values, { path: at, problems });
    if (!name.isWellFormed()) problems.push({ path: at, expected: 'a name of whole characters' });
    else put(headers, `Impersonate-Extra-${encodeURIComponent(name)}`, read);
  }
  return headers;
}
