import { matchesGlob } from '../../kube/text/glob.ts';
import { trimEndOf } from '../../kube/text/trim-run.ts';

/** The login data sent to a registry. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

/** The secret that a login comes from. */
export interface SecretName {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** The service account that a login was issued to. */
export type AccountName = SecretName;

/** A login and its owner: a secret of the pod, or the pod's service account. The node's own logins have no owner. */
export interface ImageLogin extends RegistryLogin {
  readonly secret?: SecretName;
  readonly account?: AccountName;
}

/** A secret of a pod's `imagePullSecrets`, reduced to the parts used here. `data` is base64. */
export interface PullSecret extends Partial<SecretName> {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The logins that a pod's pull secrets hold for an image. */
export interface SecretLogins {
  /** Best match first. */
  readonly logins: readonly ImageLogin[];
  /** Names of the secrets that were not read, because the pod's secrets together exceed `PULL_SECRET_LIMITS`. */
  readonly leftOut: readonly string[];
}

/** How much is read from all pull secrets of one pod. A Secret of the API has at most 1 MiB. */
export const PULL_SECRET_LIMITS = { bytes: 4 * 1024 * 1024, entries: 2048 } as const;

/** The limit of DNS and ports: labels of 63 characters, names of 253, and `:65535`. No image is on a longer host. */
const LONGEST_HOST = 259;
const LONGEST_LABEL = 63;
/** The limit for the host of a login entry, in which stars may follow each other. */
const LONGEST_HOST_PATTERN = 2 * LONGEST_HOST;

interface KeyringEntry {
  /** `registry.test:5000/team`; parts of the host may be `*`. */
  readonly place: string;
  readonly login: ImageLogin;
}

const DOCKER_HUB = 'index.docker.io';

/**
 * Returns the logins in pull secrets that fit an image, best first: longer paths before shorter ones. Unreadable
 * secrets count as empty, as everywhere in Kubernetes.
 */
export function loginsFor(image: string, secrets: readonly PullSecret[]): SecretLogins {
  const entries: KeyringEntry[] = [];
  const leftOut: string[] = [];
  let bytesLeft: number = PULL_SECRET_LIMITS.bytes;
  for (const secret of secrets) {
    const text = configIn(secret) ?? '';
    const found = text.length > bytesLeft ? undefined : entriesOfSecret(secret, text);
    if (found === undefined || entries.length + found.length > PULL_SECRET_LIMITS.entries) {
      leftOut.push(secret.name ?? '');
      continue;
    }
    bytesLeft -= text.length;
    for (const entry of found) entries.push(entry);
  }
  return { logins: fittingLogins(image, entries), leftOut };
}

/**
 * Returns the fitting logins of a container tool's login file (`config.json`, or the older `.dockercfg`), best first.
 */
export const loginsInFile = (image: string, text: string): readonly ImageLogin[] => {
  const config = parsed(text);
  return fittingLogins(image, entriesIn('auths' in config ? record(config['auths']) : config));
};

/** Returns the fitting logins of a record keyed by registry, best first. */
export const loginsAmong = (image: string, logins: Readonly<Record<string, unknown>>): readonly ImageLogin[] =>
  fittingLogins(image, entriesIn(logins));

function fittingLogins(image: string, entries: readonly KeyringEntry[]): readonly ImageLogin[] {
  // Entries for the same place keep their order: the pod's first secret is tried first.
  const keyring = entries.toSorted((one, other) => (one.place < other.place ? 1 : one.place > other.place ? -1 : 0));
  const fitting = keyring.filter(({ place }) => fits(place, image));
  // A name without a registry refers to Docker Hub.
  const found = fitting.length > 0 || !isOnHub(image) ? fitting : keyring.filter(({ place }) => place === DOCKER_HUB);
  const seen = new Set<string>();
  return found.flatMap(({ login }) => {
    const key = JSON.stringify([login.username, login.password]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [login];
  });
}

const isJsonConfig = ({ type }: PullSecret): boolean => type === 'kubernetes.io/dockerconfigjson';

/** Returns the login file in a secret, in base64. */
const configIn = (secret: PullSecret): string | undefined =>
  secret.data[isJsonConfig(secret) ? '.dockerconfigjson' : '.dockercfg'];

function entriesOfSecret(from: PullSecret, text: string): readonly KeyringEntry[] {
  const { uid = '', namespace = '', name } = from;
  const config = parsed(Buffer.from(text, 'base64').toString('utf8'));
  return entriesIn(isJsonConfig(from) ? record(config['auths']) : config).map(({ place, login }) => ({
    place,
    login: name === undefined ? login : { ...login, secret: { uid, namespace, name } },
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
    return { username: text.slice(0, colon), password: trimEndOf(text.slice(colon + 1), '\0') };
  }
  if (typeof username !== 'string' || typeof password !== 'string') return undefined;
  return { username, password };
}

/** Parses an address written as a URL, a host, or a host with a path. The version of the registry's API is dropped. */
export function placeOf(address: string): string | undefined {
  const scheme = ['https://', 'http://'].find((each) => address.startsWith(each)) ?? '';
  const [host, path] = cut(address.slice(scheme.length));
  if (host === '') return undefined;
  const isVersion = path.startsWith('/v1/') || path.startsWith('/v2/');
  return `${host}${trimEndOf(isVersion ? path.slice('/v1'.length) : path, '/')}`;
}

const isOnHub = (image: string): boolean => {
  const [first = '', ...rest] = image.split('/');
  if (rest.length === 0 || first === 'docker.io' || first === DOCKER_HUB) return true;
  return !first.includes('.') && !first.includes(':') && first !== 'localhost';
};

/**
 * `true` if a login for a place fits an image: host label by label, the same port, and a path that begins the image's
 * path. A host longer than DNS allows fits nothing, and no pattern fits such a label, so the work per entry is bounded.
 */
export function fits(place: string, image: string): boolean {
  const [host, path] = cut(place);
  const [imageHost, imagePath] = cut(image);
  if (host.length > LONGEST_HOST_PATTERN || imageHost.length > LONGEST_HOST) return false;
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

/** Matches one label of a host name, in which `*` stands for any text. */
const isLike = (pattern: string, label: string): boolean =>
  pattern.includes('*') ? label.length <= LONGEST_LABEL && matchesGlob(pattern, label) : pattern === label;
