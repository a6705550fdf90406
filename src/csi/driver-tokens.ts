import type { WallMs } from '../actor/clock.ts';
import { put } from '../kube/text/own.ts';
import type { PodOfVolume } from './csi-volume.ts';
import type { Resolved } from './resolve-claim.ts';

/** An entry of a CSIDriver's `tokenRequests` (KEP-1855): the audience of a token of the pod's service account. */
export interface TokenRequest {
  /** Empty for the API server. */
  readonly audience: string;
  readonly expirationSeconds?: number;
}

export interface DriverToken {
  readonly token: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: WallMs;
}

/** Fetches a token of a pod's service account, bound to the pod. The source renews it in time. */
export type FetchToken = (pod: PodOfVolume, request: Required<TokenRequest>) => Promise<Resolved<DriverToken>>;

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens';
/** The API server's default lifetime. */
const DEFAULT_SECONDS = 3_600;

/** Returns the token entry of each publication; no entry for a driver that asks for no tokens. */
export async function driverTokens(
  pod: PodOfVolume,
  requests: readonly TokenRequest[],
  fetch: FetchToken,
): Promise<Resolved<Readonly<Record<string, string>>>> {
  if (requests.length === 0) return { ok: true, value: {} };
  const tokens: Record<string, object> = {};
  for (const { audience, expirationSeconds = DEFAULT_SECONDS } of requests) {
    const fetched = await fetch(pod, { audience, expirationSeconds });
    if (!fetched.ok) return fetched;
    const { token, expiresAt } = fetched.value;
    put(tokens, audience, { token, expirationTimestamp: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z') });
  }
  return { ok: true, value: { [TOKENS]: JSON.stringify(tokens) } };
}
