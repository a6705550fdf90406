import type { MonotonicMs, WallMs } from '../../src/actor/clock.ts';
import type { TokenContent, TokenQuestion } from './protocol.ts';

export interface KeptToken extends TokenContent {
  /** Monotonic instant. */
  readonly madeAt: MonotonicMs;
  readonly expirationSeconds: number;
  /** Part of ten seconds, so that tokens made together are not renewed together. */
  readonly jitterMs: number;
}

const DAY_MS = 24 * 3_600_000;

export const TOKEN_JITTER_MS = 10_000;

/**
 * Whether a token should be replaced by a new one: after a day, or with a fifth of its life left. By either clock: the wall
 * clock may be set back, and the other stands still while the machine sleeps.
 */
export function isDueForRenewal(
  { expiresAt, madeAt, expirationSeconds, jitterMs }: KeptToken,
  { now, monotonic }: { readonly now: WallMs; readonly monotonic: MonotonicMs },
): boolean {
  const lifeMs = expirationSeconds * 1000;
  const ageMs = Math.max(now - (expiresAt - lifeMs), monotonic - madeAt);
  return ageMs > Math.min(DAY_MS, 0.8 * lifeMs) - jitterMs;
}

export const tokenKey = ({ namespace, serviceAccount, audiences, expirationSeconds, pod }: TokenQuestion): string =>
  JSON.stringify([namespace, serviceAccount, audiences, expirationSeconds, pod.name, pod.uid]);

export const tokenRequest = ({ audiences, expirationSeconds, pod }: TokenQuestion): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: {
    audiences,
    expirationSeconds,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
  },
});

/** Undefined: the answer holds no token. */
export function tokenIn(answer: unknown): TokenContent | undefined {
  // Both members are checked below.
  const { status } = (answer ?? {}) as { status?: { token?: unknown; expirationTimestamp?: unknown } };
  const expiresAt = Date.parse(String(status?.expirationTimestamp));
  if (typeof status?.token !== 'string' || status.token === '' || Number.isNaN(expiresAt)) return undefined;
  return { token: status.token, expiresAt };
}
