import { createHash } from 'node:crypto';
import { assertNever } from '../kube/text/assert-never.ts';
import { own } from '../kube/text/own.ts';
import type { AccountName } from '../pod/image/image-credentials.ts';
import { parseImageReference, repositoryOf } from '../pod/image/image-reference.ts';

/** A pull secret of a pod that fits an image, and what its login is known by. */
export interface SecretAccess {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** See `loginHash`. */
  readonly credentialHash: string;
}

/** By whose leave an image was pulled: a secret's, a service account's, or the node's own. */
export type PullAccess = SecretAccess | { readonly serviceAccount: AccountName } | 'node';

/** Who has shown that they may have the images of a repository. Absent members: nobody of that kind. */
export interface RepositoryAccess {
  readonly kubernetesSecrets?: readonly SecretAccess[];
  readonly kubernetesServiceAccounts?: readonly AccountName[];
  /** Pulled with nothing, or with what the node itself has: every pod may use it. */
  readonly nodePodsAccessible?: boolean;
}

/** An image that this node has pulled, and by whose leave (KEP-2535); kept on disk as the kubelet keeps it. */
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
  /** Repositories that anybody may use, the last part of each perhaps `*`. */
  readonly allowlist: readonly string[];
}

/** What the node knows of an image that is there. */
export interface KnownPull {
  readonly record: PulledRecord | undefined;
  /** A pull that may have brought it has begun here, and its end is not written down. */
  readonly isBegun: boolean;
}

export type UseVerdict =
  /** `learnt`: the record as it is after this: a secret that was made anew, or has new content. */
  { readonly mayUse: true; readonly learnt?: PulledRecord } | { readonly mayUse: false };

const ALLOWED: UseVerdict = { mayUse: true };
const BARRED: UseVerdict = { mayUse: false };

/** Whether a pod with these pull secrets may use an image that is there without showing them to the registry. */
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

/** Whether the policy of the node wants to know by whose leave an image is there. */
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

/** A login that could not be hashed is like no other. */
const hasSameHash = (one: SecretAccess, other: SecretAccess): boolean =>
  one.credentialHash !== '' && one.credentialHash === other.credentialHash;

/** Without a UID a name alone says nothing: there may have been another secret of that name. */
const isSameSecret = (one: SecretAccess, other: SecretAccess): boolean => one.uid !== '' && isCalledTheSame(one, other);

const isCalledTheSame = (one: AccountName, other: AccountName): boolean =>
  one.uid === other.uid && one.namespace === other.namespace && one.name === other.name;

/** Whether an account of that name has had the image pulled: only then it matters which account it is. */
export const knowsAccount = (
  image: string,
  record: PulledRecord | undefined,
  { namespace, name }: Pick<AccountName, 'namespace' | 'name'>,
): boolean =>
  own(record?.credentialMapping, repositoryOf(image))?.kubernetesServiceAccounts?.some(
    (each) => each.namespace === namespace && each.name === name,
  ) === true;

/** The record after a pull with a secret (`access`) or as a service account, or with what every pod of the node may show (`node`). */
export function afterPull(
  before: PulledRecord | undefined,
  pulled: { readonly image: string; readonly imageRef: string; readonly access: PullAccess },
): PulledRecord {
  const empty = emptyRecord(pulled.imageRef);
  return withAccess(before ?? empty, repositoryOf(pulled.image), pulled.access);
}

/** Of an image that was pulled here, nobody knows by whose leave. */
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

/** Each is listed once: with its latest content. */
const withNamed = <T extends AccountName>(known: readonly T[], secret: T): readonly T[] =>
  [...known.filter((each) => !isCalledTheSame(each, secret)), secret].toSorted((one, other) =>
    `${one.namespace}/${one.name}/${one.uid}` < `${other.namespace}/${other.name}/${other.uid}` ? -1 : 1,
  );

/** What a login is known by where the login itself must not be kept. */
export const loginHash = ({ username, password }: { readonly username: string; readonly password: string }): string =>
  createHash('sha256').update(JSON.stringify({ username, password })).digest('hex');

/** The name of the file about an image (an intent) or about what the runtime calls it (a record). */
export const recordFileName = (image: string): string => `sha256-${createHash('sha256').update(image).digest('hex')}`;

/** Bytes from disk: undefined for what is no record, which is as good as none. */
export function readRecord(text: string | undefined): PulledRecord | undefined {
  const value = parsed(text);
  if (value?.['kind'] !== 'ImagePulledRecord' || typeof value['imageRef'] !== 'string') return undefined;
  const mapping = value['credentialMapping'];
  return {
    ...emptyRecord(value['imageRef']),
    lastUpdatedTime: typeof value['lastUpdatedTime'] === 'string' ? value['lastUpdatedTime'] : '',
    credentialMapping: (typeof mapping === 'object' && mapping !== null
      ? mapping
      : {}) as PulledRecord['credentialMapping'],
  };
}

export const intentText = (image: string): string =>
  JSON.stringify({ kind: 'ImagePullIntent', apiVersion: RECORD_VERSION, image });

/** The image whose pull had begun. */
export function readIntent(text: string | undefined): string | undefined {
  const image = parsed(text)?.['image'];
  return typeof image === 'string' && parseImageReference(image).ok ? image : undefined;
}

/** What the runtime called an image when its pull began. */
export const beforeText = (image: string, imageRef: string): string => JSON.stringify({ image, imageRef });

/** `undefined` when nothing usable was written down: then any image may have come with the pull. */
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
