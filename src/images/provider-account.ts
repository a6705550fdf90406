import { createHash } from 'node:crypto';
import { own } from '../kube/text/own.ts';
import type { AccountName } from '../pod/image/image-credentials.ts';

/** What a provider is told of the service account of the pod that pulls (KEP-4412). */
export interface TokenAttributes {
  /** For whom the token is. */
  readonly audience: string;
  /** Whether an answer counts for the account, or only as long as the token does. */
  readonly cacheType: 'ServiceAccount' | 'Token';
  /** A pod without an account is not asked about at all. */
  readonly isRequired: boolean;
  /** Annotations of the account that are told: without one of the first kind the provider is not asked. */
  readonly requiredAnnotations: readonly string[];
  readonly optionalAnnotations: readonly string[];
}

/** The pod that an image is for. */
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

export type Told<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Who knows service accounts. Never rejects. */
export interface Accounts {
  facts(pod: PullingPod): Promise<Told<AccountFacts>>;
  /** Bound to the pod. */
  token(pod: PullingPod, audience: string): Promise<Told<string>>;
}

/** As whom a provider is asked. */
export interface AsAccount {
  readonly account: AccountName;
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** Answers that have it in common count for each other. Holds no token. */
  readonly key: string;
}

export type AskedAs =
  | { readonly type: 'account'; readonly as: AsAccount }
  | { readonly type: 'nobody' }
  /** The provider is not asked. */
  | { readonly type: 'not'; readonly why: string };

const NOBODY: AskedAs = { type: 'nobody' };

/** As whom a provider with these attributes is asked for a pod. Never rejects. */
export async function askedAs(
  attributes: TokenAttributes,
  pod: PullingPod | undefined,
  accounts: Accounts | undefined,
): Promise<AskedAs> {
  if (pod === undefined || pod.serviceAccount === '' || accounts === undefined)
    return attributes.isRequired ? { type: 'not', why: 'the pod has no service account' } : NOBODY;
  const facts = await accounts.facts(pod);
  if (!facts.ok) return { type: 'not', why: facts.problem };
  const { uid, annotations: all } = facts.value;
  const missing = attributes.requiredAnnotations.filter((name) => own(all, name) === undefined);
  if (missing.length > 0)
    return { type: 'not', why: `service account ${pod.serviceAccount} has no annotation ${missing.join(', ')}` };
  const token = await accounts.token(pod, attributes.audience);
  if (!token.ok) return { type: 'not', why: token.problem };
  const told = [...attributes.requiredAnnotations, ...attributes.optionalAnnotations];
  const annotations = Object.fromEntries(
    told.flatMap((name) => {
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
