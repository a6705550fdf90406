import type { WallMs } from '../../src/actor/clock.ts';
import type { Random } from '../../src/actor/random.ts';
import { isIP } from 'node:net';
import type { NodeAddress } from '../../src/kube/node.ts';
import { isFor, rotationAt, validityOf, type ServedNames } from '../../src/api/certificates/client-certificate.ts';
import { backOffMs, withJitter } from '../../src/actor/back-off.ts';

export type NextLook =
  /** Renewal is off: something other than this agent maintains the credentials. */
  { readonly type: 'nothing' } | { readonly type: 'later'; readonly inMs: number } | { readonly type: 'renew' };

/** Another program may replace the certificate, and the clock may be set. */
const CHECK_EVERY_MS = 3_600_000;

/**
 * Decides what to do about the current certificate. `dueAt` is drawn once for each certificate. A serving certificate
 * is always this agent's own, and is useless when the node's names have changed.
 */
export function nextLook(
  pem: string | undefined,
  { now, dueAt, served }: { readonly now: WallMs; readonly dueAt: WallMs; readonly served?: ServedNames | undefined },
): NextLook {
  if (pem === undefined || validityOf(pem) === undefined) return { type: served === undefined ? 'nothing' : 'renew' };
  if (served !== undefined && !isFor(pem, served)) return { type: 'renew' };
  return now >= dueAt ? { type: 'renew' } : { type: 'later', inMs: Math.min(dueAt - now, CHECK_EVERY_MS) };
}

/**
 * Returns the names that the serving certificate of a node with these addresses must have, sorted. `undefined` while
 * there is nothing to request a certificate for: without an IP address, a name alone counts only where `needs` says so.
 */
export function servedNamesOf(
  addresses: readonly NodeAddress[],
  needs: 'address' | 'any-name',
): ServedNames | undefined {
  const hostnames = new Set<string>();
  const ips = new Set<string>();
  for (const { type, address } of addresses) {
    const isName = type === 'Hostname' || type === 'InternalDNS' || type === 'ExternalDNS';
    const mayBeAddress = type === 'Hostname' || type === 'InternalIP' || type === 'ExternalIP';
    if (isIP(address) !== 0) {
      if (mayBeAddress) ips.add(address);
    } else if (isName && address !== '') hostnames.add(address);
  }
  if (ips.size === 0 && (needs === 'address' || hostnames.size === 0)) return undefined;
  return { hostnames: [...hostnames].toSorted(), addresses: [...ips].toSorted() };
}

/** The instant at which this certificate must be replaced. */
export function dueAtOf(pem: string | undefined, random: Random): WallMs {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity === undefined ? Infinity : rotationAt(validity, random);
}

const AGAIN = { initialMs: 10_000, maxMs: 600_000 };

/** The wait before the next attempt, after this many failures. */
export const renewAgainMs = (failures: number, random: Random): number =>
  withJitter(backOffMs(failures, AGAIN), 1 / 2, random());

/** `true` if this was a valid certificate and has expired. */
export function hasEnded(pem: string | undefined, now: WallMs): boolean {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity !== undefined && now >= validity.until;
}

/** How many seconds remain until the certificate expires. `undefined` when there is no certificate. */
export function secondsLeft(pem: string | undefined, now: WallMs): number | undefined {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity && (validity.until - now) / 1000;
}

/** How many seconds the certificate has been valid. `undefined` when there was no certificate. */
export function secondsUsed(pem: string | undefined, now: WallMs): number | undefined {
  const validity = pem === undefined ? undefined : validityOf(pem);
  return validity && Math.max(0, now - validity.from) / 1000;
}
