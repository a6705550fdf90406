import { later, type WallMs } from '../../actor/clock.ts';
import type { CertificateKey } from './pod-certificate-key.ts';

/** The parts of certificates.k8s.io PodCertificateRequest used here. */
export interface PodCertificateRequest {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly certificateChain?: string;
    readonly beginRefreshAt?: string;
    readonly notAfter?: string;
  };
}

export interface IssuedCertificate {
  readonly key: string;
  readonly chain: string;
  /** Wall clock. */
  readonly refreshAt: WallMs;
  readonly notAfter: WallMs;
}

export interface RequestedCertificateSpec {
  readonly name: string;
  readonly key: CertificateKey;
}

/** One certificate of a pod: the issued one, the pending request, and why a request was refused. */
export interface CertificateRecord {
  readonly issued?: IssuedCertificate;
  readonly asked?: RequestedCertificateSpec;
  /** The request was denied or failed. No new request is made before `until`, a wall-clock instant. */
  readonly refused?: { readonly message: string; readonly until: WallMs; readonly end: 'denied' | 'failed' };
}

/** A refused request is final for a pod without a certificate. A pod with one retries after this time. */
const REFUSED_REFRESH_MS = 10 * 60_000;

/** Returns the next step for a certificate: use the present one, request a new one, or check the pending request. */
export function nextStep(record: CertificateRecord, now: WallMs): 'use' | 'ask' | 'check' | 'refused' {
  const { issued, asked, refused } = record;
  if (issued !== undefined && now < issued.refreshAt) return 'use';
  if (asked !== undefined) return 'check';
  if (refused !== undefined && now < refused.until)
    return issued !== undefined && now < issued.notAfter ? 'use' : 'refused';
  return 'ask';
}

/** The kubelet's metric names for states. A certificate is overdue ten minutes after its refresh time. */
export type CertificateState = 'not_yet_issued' | 'fresh' | 'overdue_for_refresh' | 'expired' | 'denied' | 'failed';

const OVERDUE_MS = 10 * 60_000;

export function certificateState({ issued, refused }: CertificateRecord, now: WallMs): CertificateState {
  if (issued === undefined) return refused?.end ?? 'not_yet_issued';
  if (now >= issued.notAfter) return 'expired';
  return now >= later(issued.refreshAt, OVERDUE_MS) ? 'overdue_for_refresh' : 'fresh';
}

/** A problem of a certificate, in the words of its pod's event. */
export interface CertificateProblem {
  readonly type: 'Warning';
  readonly reason: 'CertificateOverdueForRefresh' | 'CertificateExpired' | 'Denied' | 'Failed';
  readonly message: string;
}

/** Returns all present problems of a certificate. Each is an event when it begins, and not again while it lasts. */
export function problemsOf(record: CertificateRecord, now: WallMs): readonly CertificateProblem[] {
  const { issued, refused } = record;
  const problems: CertificateProblem[] = [];
  if (refused !== undefined && now < refused.until) {
    const reason = refused.end === 'denied' ? 'Denied' : 'Failed';
    problems.push({ type: 'Warning', reason, message: refused.message });
  }
  const state = certificateState(record, now);
  if (issued === undefined || (state !== 'expired' && state !== 'overdue_for_refresh')) return problems;
  const [reason, verb, at] =
    state === 'expired'
      ? (['CertificateExpired', 'expired at', issued.notAfter] as const)
      : (['CertificateOverdueForRefresh', 'should have been refreshed at', issued.refreshAt] as const);
  const message = `the certificate of a projected volume ${verb} ${new Date(at).toISOString()}`;
  return [...problems, { type: 'Warning', reason, message }];
}

/**
 * Returns the record after a check of the request. `waitMs` spreads the refreshes, so that not all pods of a signer
 * refresh at the same moment.
 */
export function afterRequestCheck(
  record: CertificateRecord,
  request: PodCertificateRequest,
  { now, waitMs }: { readonly now: WallMs; readonly waitMs: number },
): CertificateRecord {
  const { asked, issued } = record;
  const { conditions = [], certificateChain = '', beginRefreshAt, notAfter } = request.status ?? {};
  const end = conditions.find(({ type, status }) => status === 'True' && ENDS.has(type));
  if (asked === undefined || end === undefined) return record;
  if (end.type === 'Issued') {
    const until = instantOf(notAfter) ?? Number.POSITIVE_INFINITY;
    // The refresh never comes after the certificate's end, whatever its signer says.
    const refreshAt = Math.min((instantOf(beginRefreshAt) ?? until) + waitMs, until);
    return { issued: { key: asked.key.privatePem, chain: certificateChain, refreshAt, notAfter: until } };
  }
  const why = [end.reason, end.message].filter((text) => text !== undefined && text !== '').join(': ');
  const message = `PodCertificateRequest ${request.metadata.name} was ${end.type.toLowerCase()}${why === '' ? '' : ` (${why})`}`;
  const until = issued === undefined ? Number.POSITIVE_INFINITY : later(now, REFUSED_REFRESH_MS);
  return {
    ...(issued === undefined ? {} : { issued }),
    refused: { message, until, end: end.type === 'Denied' ? 'denied' : 'failed' },
  };
}

const ENDS: ReadonlySet<string> = new Set(['Issued', 'Denied', 'Failed']);

function instantOf(text: string | undefined): WallMs | undefined {
  const instant = Date.parse(text ?? '');
  return Number.isNaN(instant) ? undefined : instant;
}
