import { createHash } from 'node:crypto';
import { own } from '../kube/text/own.ts';
import type { AccountName } from '../pod/image/image-credentials.ts';

/** A provider's use of the pulling pod's service account (KEP-4412). */
export interface TokenAttributes {
  /** The audience of the token. */
  readonly audience: string;
  /** Says whether an answer is valid for the account, or only as long as the token. */
  readonly cacheType: 'ServiceAccount' | 'Token';
  /** `true` if the provider is skipped for pods without an account. */
  readonly isRequired: boolean;
  /** Annotations of the account to send. If a required one is missing, the provider is skipped. */
  readonly requiredAnnotations: readonly string[];
  readonly optionalAnnotations: readonly string[];
}

/** The pod that an image is pulled for. */
export interface PullingPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly serviceAccount: string;
}

export interface AccountFacts {
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export type AccountAnswer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Access to service accounts. Never rejects. */
export interface Accounts {
  facts(pod: PullingPod): Promise<AccountAnswer<AccountFacts>>;
  /** Returns a token bound to the pod. */
  token(pod: PullingPod, audience: string): Promise<AccountAnswer<string>>;
}

/** The service account that a provider is asked for. */
export interface AsAccount {
  readonly account: AccountName;
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Requests with the same key share answers. Contains no token. */
  readonly key: string;
}

export type PullIdentity =
  | { readonly type: 'account'; readonly as: AsAccount }
  | { readonly type: 'no-account' }
  /** The provider is skipped. */
  | { readonly type: 'unavailable'; readonly why: string };

const NO_ACCOUNT: PullIdentity = { type: 'no-account' };

/** Returns the account for which a provider with these attributes is asked. Never rejects. */
export async function askedAs(
  attributes: TokenAttributes,
  pod: PullingPod | undefined,
  accounts: Accounts | undefined,
): Promise<PullIdentity> {
  if (pod === undefined || pod.serviceAccount === '' || accounts === undefined)
    return attributes.isRequired ? { type: 'unavailable', why: 'the pod has no service account' } : NO_ACCOUNT;
  const facts = await accounts.facts(pod);
  if (!facts.ok) return { type: 'unavailable', why: facts.problem };
  const { uid, annotations: all } = facts.value;
  const missing = attributes.requiredAnnotations.filter((name) => own(all, name) === undefined);
  if (missing.length > 0)
    return {
      type: 'unavailable',
      why: `service account ${pod.serviceAccount} has no annotation ${missing.join(', ')}`,
    };
  const token = await accounts.token(pod, attributes.audience);
  if (!token.ok) return { type: 'unavailable', why: token.problem };
  const wanted = [...attributes.requiredAnnotations, ...attributes.optionalAnnotations];
  const annotations = Object.fromEntries(
    wanted.flatMap((name) => {
      const value = own(all, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const account = { uid, namespace: pod.namespace, name: pod.serviceAccount };
  const same = attributes.cacheType === 'Token' ? token.value : '';
  const key = createHash('sha256')
    .update(JSON.stringify([account, annotations, same]))
    .digest('hex');
  return { type: 'account', as: { account, token: token.value, annotations, key } };
}
