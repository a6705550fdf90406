import { createHash } from 'node:crypto';
import { assertNever } from '../kube/text/assert-never.ts';
import { own } from '../kube/text/own.ts';
import type { AccountName } from '../pod/image/image-credentials.ts';
import { parseImageReference, repositoryOf } from '../pod/image/image-reference.ts';

/** A pod's pull secret that fits an image, and the hash of its login. */
export interface SecretAccess {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** See `loginHash`. */
  readonly credentialHash: string;
}

/** The credential that allowed an image's pull: a secret, a service account, or the node's own. */
export type PullAccess = SecretAccess | { readonly serviceAccount: AccountName } | 'node';

/** The credentials with proven access to a repository. An absent member means none of that kind. */
export interface RepositoryAccess {
  readonly kubernetesSecrets?: readonly SecretAccess[];
  readonly kubernetesServiceAccounts?: readonly AccountName[];
  /** The pull used no login or the node's own, so every pod may use the image. */
  readonly nodePodsAccessible?: boolean;
}

/**
 * An image that this node has pulled, and the credentials that allowed it (KEP-2535); kept on disk as the kubelet keeps
 * it.
 */
export interface PulledRecord {
  readonly kind: 'ImagePulledRecord';
  readonly apiVersion: string;
  /** RFC 3339. */
  readonly lastUpdatedTime: string;
  readonly imageRef: string;
  readonly credentialMapping: Readonly<Record<string, RepositoryAccess>>;
}

export const RECORD_VERSION = 'kubelet.config.k8s.io/v1beta1';

export type VerificationPolicy =
  'NeverVerify' | 'NeverVerifyPreloadedImages' | 'NeverVerifyAllowlistedImages' | 'AlwaysVerify';

export interface Verification {
  readonly policy: VerificationPolicy;
  /** Repositories that every pod may use; the last part of each may be `*`. */
  readonly allowlist: readonly string[];
}

/** The node's knowledge about a present image. */
export interface KnownPull {
  readonly record: PulledRecord | undefined;
  /** `true` if a pull that may have brought the image has begun here, and its end was not recorded. */
  readonly isBegun: boolean;
}

export type UseVerdict =
  /** `learnt`: the updated record, when a secret was recreated or its content changed. */
  { readonly mayUse: true; readonly learnt?: PulledRecord } | { readonly mayUse: false };

const ALLOWED: UseVerdict = { mayUse: true };
const BARRED: UseVerdict = { mayUse: false };

/** Decides whether a pod with these pull secrets may use a present image without asking the registry. */
export function mayUseImage(
  {
    image,
    secrets,
    account,
  }: { readonly image: string; readonly secrets: readonly SecretAccess[]; readonly account?: AccountName },
  { record, isBegun }: KnownPull,
  verification: Verification,
): UseVerdict {
  const repository = repositoryOf(image);
  if (!needsVerification(repository, record !== undefined || isBegun, verification)) return ALLOWED;
  const access = own(record?.credentialMapping, repository);
  if (record === undefined || access === undefined) return BARRED;
  if (access.nodePodsAccessible === true) return ALLOWED;
  const accounts = access.kubernetesServiceAccounts ?? [];
  if (account !== undefined && accounts.some((each) => isCalledTheSame(each, account))) return ALLOWED;
  const known = access.kubernetesSecrets ?? [];
  for (const secret of secrets) {
    const same = known.find((each) => hasSameHash(each, secret)) ?? known.find((each) => isSameSecret(each, secret));
    if (same === undefined) continue;
    if (hasSameHash(same, secret) && isCalledTheSame(same, secret)) return ALLOWED;
    return { mayUse: true, learnt: withAccess(record, repository, secret) };
  }
  return BARRED;
}

/** `true` if the node's policy requires proven access to the image. */
export const isVerified = (image: string, { record, isBegun }: KnownPull, verification: Verification): boolean =>
  needsVerification(repositoryOf(image), record !== undefined || isBegun, verification);

function needsVerification(repository: string, isPulledHere: boolean, { policy, allowlist }: Verification): boolean {
  switch (policy) {
    case 'NeverVerify':
      return false;
    case 'AlwaysVerify':
      return true;
    case 'NeverVerifyPreloadedImages':
      return isPulledHere;
    case 'NeverVerifyAllowlistedImages':
      return !allowlist.some((pattern) => isIn(repository, pattern));
    default:
      return assertNever(policy, 'policy of verification');
  }
}

const isIn = (repository: string, pattern: string): boolean =>
  pattern.endsWith('/*') ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern;

/** A login that could not be hashed equals no other. */
const hasSameHash = (one: SecretAccess, other: SecretAccess): boolean =>
  one.credentialHash !== '' && one.credentialHash === other.credentialHash;

/** Without a UID the name proves nothing: another secret may have had it before. */
const isSameSecret = (one: SecretAccess, other: SecretAccess): boolean => one.uid !== '' && isCalledTheSame(one, other);

const isCalledTheSame = (one: AccountName, other: AccountName): boolean =>
  one.uid === other.uid && one.namespace === other.namespace && one.name === other.name;

/** `true` if an account of that name has pulled the image. Only then the account's identity matters. */
export const knowsAccount = (
  image: string,
  record: PulledRecord | undefined,
  { namespace, name }: Pick<AccountName, 'namespace' | 'name'>,
): boolean =>
  own(record?.credentialMapping, repositoryOf(image))?.kubernetesServiceAccounts?.some(
    (each) => each.namespace === namespace && each.name === name,
  ) === true;

/**
 * Returns the record after a pull with a secret (`access`), as a service account, or with a login that every pod of the
 * node may use (`node`).
 */
export function afterPull(
  before: PulledRecord | undefined,
  pulled: { readonly image: string; readonly imageRef: string; readonly access: PullAccess },
): PulledRecord {
  const empty = emptyRecord(pulled.imageRef);
  return withAccess(before ?? empty, repositoryOf(pulled.image), pulled.access);
}

/** For an image that was pulled here with an unknown credential. */
export const emptyRecord = (imageRef: string): PulledRecord => ({
  kind: 'ImagePulledRecord',
  apiVersion: RECORD_VERSION,
  lastUpdatedTime: '',
  imageRef,
  credentialMapping: {},
});

function withAccess(record: PulledRecord, repository: string, access: PullAccess): PulledRecord {
  const after = accessAfter(own(record.credentialMapping, repository) ?? {}, access);
  return { ...record, credentialMapping: { ...record.credentialMapping, [repository]: after } };
}

function accessAfter(before: RepositoryAccess, access: PullAccess): RepositoryAccess {
  if (access === 'node') return { nodePodsAccessible: true };
  if (before.nodePodsAccessible === true) return before;
  if ('serviceAccount' in access)
    return {
      ...before,
      kubernetesServiceAccounts: withNamed(before.kubernetesServiceAccounts ?? [], access.serviceAccount),
    };
  return { ...before, kubernetesSecrets: withNamed(before.kubernetesSecrets ?? [], access) };
}

/** Lists each secret or account once, with its latest content. */
const withNamed = <T extends AccountName>(known: readonly T[], secret: T): readonly T[] =>
  [...known.filter((each) => !isCalledTheSame(each, secret)), secret].toSorted((one, other) =>
    `${one.namespace}/${one.name}/${one.uid}` < `${other.namespace}/${other.name}/${other.uid}` ? -1 : 1,
  );

/** Returns the hash of a login, for places where the login itself must not be kept. */
export const loginHash = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  createHash('sha256').update(JSON.stringify({ username, password })).digest('hex');

/** Returns the file name for an image (an intent) or for the runtime's reference to it (a record). */
export const recordFileName = (image: string): string => `sha256-${createHash('sha256').update(image).digest('hex')}`;

/** Parses bytes from disk; `undefined` when they are not a record, which counts as a missing one. */
export function readRecord(text: string | undefined): PulledRecord | undefined {
  const value = parsed(text);
  if (value?.['kind'] !== 'ImagePulledRecord' || typeof value['imageRef'] !== 'string') return undefined;
  const mapping = value['credentialMapping'];
  return {
    ...emptyRecord(value['imageRef']),
    lastUpdatedTime: typeof value['lastUpdatedTime'] === 'string' ? value['lastUpdatedTime'] : '',
    // This agent or a kubelet wrote the record.
    credentialMapping: (typeof mapping === 'object' && mapping !== null
      ? mapping
      : {}) as PulledRecord['credentialMapping'],
  };
}

export const intentText = (image: string): string =>
  JSON.stringify({ kind: 'ImagePullIntent', apiVersion: RECORD_VERSION, image });

/** Returns the image whose pull had begun; `undefined` when the text is not an intent. */
export function readIntent(text: string | undefined): string | undefined {
  const image = parsed(text)?.['image'];
  return typeof image === 'string' && parseImageReference(image).ok ? image : undefined;
}

/** Records the runtime's reference to an image at the beginning of its pull. */
export const beforeText = (image: string, imageRef: string): string => JSON.stringify({ image, imageRef });

/** `undefined` when no usable record exists: then any image may have come with the pull. */
export function readBefore(text: string | undefined): string | undefined {
  const imageRef = parsed(text)?.['imageRef'];
  return typeof imageRef === 'string' && imageRef !== '' ? imageRef : undefined;
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
