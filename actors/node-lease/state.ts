import type { MonotonicMs, WallMs } from '../../src/actor/clock.ts';
import { isAlreadyExists, isConflict, isNotFound, type ApiFault } from '../../src/api/api-request.ts';
import type { Lease } from '../../src/kube/lease.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

export interface LeaseSettings {
  readonly nodeName: string;
  readonly durationSeconds: number;
}

/**
 * The next call: `renew` writes the known lease, `read` reads the server's lease first, `create` creates a missing
 * lease.
 */
export interface LeaseState {
  readonly step: 'read' | 'create' | 'renew';
  readonly lease: Lease | undefined;
  /** UID of the node object that owns the lease. */
  readonly nodeUid: string | undefined;
  readonly failures: number;
  /** Monotonic instant of the last renewal. */
  readonly renewedAt: MonotonicMs | undefined;
}

export const initialLease: LeaseState = {
  step: 'read',
  lease: undefined,
  nodeUid: undefined,
  failures: 0,
  renewedAt: undefined,
};

export type LeaseCall =
  | { readonly type: 'read' }
  | { readonly type: 'create'; readonly lease: Lease }
  | { readonly type: 'update'; readonly lease: Lease };

/**
 * The next call. `now` is the instant of the renewal. `undefined` when a lease must be created, but its
 * node does not exist yet.
 */
export function nextLeaseCall(state: LeaseState, settings: LeaseSettings, now: WallMs): LeaseCall | undefined {
  const { nodeName, durationSeconds } = settings;
  const { lease, nodeUid } = state;
  if (state.step === 'read') return { type: 'read' };
  if (state.step === 'create' && nodeUid === undefined) return undefined;
  const renewTime = renewalTime(lease?.spec?.renewTime, now);
  const spec = { ...lease?.spec, holderIdentity: nodeName, leaseDurationSeconds: durationSeconds, renewTime };
  if (state.step === 'create' || lease === undefined) {
    const metadata = { name: nodeName, namespace: 'kube-node-lease', ownerReferences: owners([], nodeName, nodeUid) };
    return { type: 'create', lease: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec } };
  }
  const ownerReferences = owners(lease.metadata.ownerReferences ?? [], nodeName, nodeUid);
  return { type: 'update', lease: { ...lease, metadata: { ...lease.metadata, ownerReferences }, spec } };
}

/** The lease is deleted with its node: it names the current node object as owner. Other owners stay. */
function owners(
  existing: NonNullable<Lease['metadata']['ownerReferences']>,
  nodeName: string,
  nodeUid: string | undefined,
): NonNullable<Lease['metadata']['ownerReferences']> {
  if (nodeUid === undefined || existing.some(({ uid }) => uid === nodeUid)) return existing;
  const others = existing.filter(({ kind, name }) => kind !== 'Node' || name !== nodeName);
  return [...others, { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid }];
}

/**
 * The instant that a renewal carries: now, but always later than the previous one. The node lifecycle controller
 * ignores a lease whose time goes backwards: after a step of the clock a live node would count as dead.
 */
export function renewalTime(before: string | undefined, now: WallMs): string {
  const formerMicros = before === undefined ? undefined : micros(before);
  const nowMicros = BigInt(Math.floor(now)) * 1000n;
  const next = formerMicros !== undefined && formerMicros >= nowMicros ? formerMicros + 1n : nowMicros;
  const seconds = new Date(Number(next / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(next % 1_000_000n).padStart(6, '0')}Z`;
}

function micros(time: string): bigint | undefined {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return undefined;
  const fraction = /\.(\d{1,6})/.exec(time)?.[1] ?? '0';
  return BigInt(Math.floor(ms / 1000)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

/** Updates the lease's state after a call. `again`: the next call follows at once. */
export function afterLeaseCall(
  state: LeaseState,
  end: { readonly call: LeaseCall; readonly answer: Lease | undefined; readonly fault: ApiFault | undefined },
  now: MonotonicMs,
): { readonly next: LeaseState; readonly again: boolean } {
  const { call, answer, fault } = end;
  if (fault === undefined) {
    const known = { ...state, step: 'renew', lease: answer, failures: 0 } as const;
    if (call.type === 'read') return { next: known, again: true };
    return { next: { ...known, renewedAt: now }, again: false };
  }
  const failures = state.failures + 1;
  // The lease is gone, or never existed: a later lease of the same name is unrelated.
  if (isNotFound(fault)) {
    return { next: { ...state, step: 'create', lease: undefined, failures }, again: failures === 1 };
  }
  if (isConflict(fault) || isAlreadyExists(fault)) {
    return { next: { ...state, step: 'read', failures }, again: failures <= TRIES_AT_ONCE };
  }
  // The write may have succeeded; then another write with the old version fails with a conflict.
  return { next: { ...state, failures }, again: false };
}

/** A lease is renewed four times in its duration. */
export const RENEW_FRACTION = 0.25;

const TRIES_AT_ONCE = 5;

const BACK_OFF = { initialMs: 200, maxMs: 7_000 };

/** The wait before the next attempt, after this many consecutive failures. Never longer than the renewal interval. */
export const leaseBackOffMs = (failures: number, renewEveryMs: number): number =>
  Math.min(backOffMs(failures, BACK_OFF), renewEveryMs);

/** A call that timed out has waited long enough: the lease must be renewed soon after the server is back. */
const AFTER_TIME_OUT_MS = 1_000;

/** The wait after a call that failed with this fault. */
export function leaseRetryMs(fault: ApiFault, failures: number, renewEveryMs: number): number {
  const waitMs = leaseBackOffMs(failures, renewEveryMs);
  if (fault.kind === 'timed-out') return Math.min(waitMs, AFTER_TIME_OUT_MS);
  return Math.max(fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0, waitMs);
}

/**
 * Timeout of a call about the lease. With the wait after it, a server that has recovered receives the lease before the
 * regular renewal would be due.
 */
export const leaseCallTimeoutMs = (durationSeconds: number): number => durationSeconds * 1000 * RENEW_FRACTION * 0.7;
