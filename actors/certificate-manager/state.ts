import type { Random } from '../../src/actor/random.ts';
import { isFor, rotationAt, validityOf, type ServedNames } from '../../src/api/certificates/client-certificate.ts';
import { backOffMs, withJitter } from '../../src/actor/back-off.ts';

export type NextLook =
  /** Nothing to renew: the credentials are somebody else's to keep. */
  { readonly type: 'nothing' } | { readonly type: 'later'; readonly inMs: number } | { readonly type: 'renew' };

/** A certificate may be replaced by somebody else, and the clock be set. */
const LOOK_EVERY_MS = 3_600_000;

/**
 * What is to be done about the certificate that is there now. `dueAt` is drawn once for each certificate. One to serve with is
 * this agent's own from the first on, and is of no use when the node is called otherwise now.
 */
export function nextLook(
  pem: string | undefined,
  { now, dueAt, served }: { readonly now: number; readonly dueAt: number; readonly served?: ServedNames | undefined },
): NextLook {
  if (pem === undefined || validityOf(pem) === undefined) return { type: served === undefined ? 'nothing' : 'renew' };
  if (served !== undefined && !isFor(pem, served)) return { type: 'renew' };
  return now >= dueAt ? { type: 'renew' } : { type: 'later', inMs: Math.min(dueAt - now, LOOK_EVERY_MS) };
}

/** When this certificate is to be replaced. */
export function dueAtOf(pem: string | undefined, random: Random): number {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity === undefined ? Infinity : rotationAt(validity, random);
}

const AGAIN = { initialMs: 10_000, maxMs: 600_000 };

/** After so many attempts that came to nothing. */
export const renewAgainMs = (failures: number, random: Random): number =>
  withJitter(backOffMs(failures, AGAIN), 1 / 2, random());

/** Whether this certificate was one, and holds no longer. */
export function hasEnded(pem: string | undefined, now: number): boolean {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity !== undefined && now >= validity.until;
}

/** How many seconds a certificate is good for yet. Undefined: there is none. */
export function secondsLeft(pem: string | undefined, now: number): number | undefined {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity && (validity.until - now) / 1000;
}

/** How many seconds a certificate has been good for. Undefined: there was none. */
export function secondsUsed(pem: string | undefined, now: number): number | undefined {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity && Math.max(0, now - validity.from) / 1000;
}
