/** What a registry is shown. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** Which secret a login is from. */
export interface SecretName {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The service account that a login was given to. */
export type AccountName = SecretName;

/** A login and, unless it is the node's own, whose it is: a secret of the pod's, or what its service account was given. */
export interface ImageLogin extends RegistryLogin {
  readonly secret?: SecretName;
  readonly account?: AccountName;
}

/** A secret of a pod's `imagePullSecrets`, as far as it matters here. `data` is base64. */
export interface PullSecret extends Partial<SecretName> {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

interface KeyringEntry {
  /** `registry.test:5000/team`; parts of the host may be `*`. */
  readonly place: string;
  readonly login: ImageLogin;
}

const DOCKER_HUB = 'index.docker.io';

/**
 * The logins in pull secrets that fit an image, the best first: longer paths before shorter ones. Secrets that cannot be read
 * hold none, as everywhere in Kubernetes.
 */
export const loginsFor = (image: string, secrets: readonly PullSecret[]): readonly ImageLogin[] =>
  fittingLogins(image, secrets.flatMap(entriesOfSecret));

/** The same of a file of logins as container tools keep it (`config.json`, or the older `.dockercfg`). */
export const loginsInFile = (image: string, text: string): readonly ImageLogin[] => {
  const config = parsed(text);
  return fittingLogins(image, entriesIn('auths' in config ? record(config['auths']) : config));
};

/** The same of logins by the registries they are for. */
export const loginsAmong = (image: string, logins: Readonly<Record<string, unknown>>): readonly ImageLogin[] =>
  fittingLogins(image, entriesIn(logins));

function fittingLogins(image: string, entries: readonly KeyringEntry[]): readonly ImageLogin[] {
  const keyring = entries.toSorted((one, other) => (one.place < other.place ? 1 : -1));
  const fitting = keyring.filter(({ place }) => fits(place, image));
  // A name without a registry is one of Docker Hub.
  const found = fitting.length > 0 || !isOnHub(image) ? fitting : keyring.filter(({ place }) => place === DOCKER_HUB);
  const seen = new Set<string>();
  return found.flatMap(({ login }) => {
    const key = JSON.stringify([login.username, login.password]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [login];
  });
}

function entriesOfSecret({ type, data, uid, namespace, name }: PullSecret): readonly KeyringEntry[] {
  const isJson = type === 'kubernetes.io/dockerconfigjson';
  const file = data[isJson ? '.dockerconfigjson' : '.dockercfg'];
  if (file === undefined) return [];
  const config = parsed(Buffer.from(file, 'base64').toString('utf8'));
  const secret = { uid: uid ?? '', namespace: namespace ?? '', name: name ?? '' };
  return entriesIn(isJson ? record(config['auths']) : config).map(({ place, login }) => ({
    place,
    login: name === undefined ? login : { ...login, secret },
  }));
}

const entriesIn = (logins: Readonly<Record<string, unknown>>): readonly KeyringEntry[] =>
  Object.entries(logins).flatMap(([address, entry]) => {
    const login = loginIn(record(entry));
    const place = placeOf(address);
    return login === undefined || place === undefined ? [] : [{ place, login }];
  });

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return record(JSON.parse(text));
  } catch {
    return {};
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function loginIn({ auth, username, password }: Readonly<Record<string, unknown>>): RegistryLogin | undefined {
  if (typeof auth === 'string' && auth !== '') {
    const text = Buffer.from(auth, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon < 0) return undefined;
    return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
  }
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username, password };
}

/** Addresses are written as URLs, hosts, or hosts with a path; the version of the registry's interface is no part of it. */
export function placeOf(address: string): string | undefined {
  const url = /^https?:\/\//.test(address) ? address : `https://${address}`;
  const [, host = '', path = ''] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(url) ?? [];
  if (host === '') return undefined;
  const below = path.replace(/^\/v[12]\//, '/').replace(/\/+$/, '');
  return `${host}${below}`;
}

const isOnHub = (image: string): boolean => {
  const [first = '', ...rest] = image.split('/');
  return rest.length === 0 || first === 'docker.io' || first === DOCKER_HUB || !/[.:]|^localhost$/.test(first);
};

/** Whether a login for a place is one for an image: host label by label, the same port, and the path a beginning of the image's. */
export function fits(place: string, image: string): boolean {
  const [host, path] = cut(place);
  const [imageHost, imagePath] = cut(image);
  const [name = '', port = ''] = host.split(':');
  const [imageName = '', imagePort = ''] = imageHost.split(':');
  const labels = name.split('.');
  const imageLabels = imageName.split('.');
  return (
    port === imagePort &&
    labels.length === imageLabels.length &&
    labels.every((label, index) => isLike(label, imageLabels[index] ?? '')) &&
    imagePath.startsWith(path)
  );
}

const cut = (text: string): readonly [string, string] => {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
};

/** One label of a host's name, in which `*` stands for any text. */
const isLike = (pattern: string, label: string): boolean => {
  if (!pattern.includes('*')) return pattern === label;
  const escaped = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${escaped.join('[^.]*')}$`).test(label);
};
