import { later, type Clock } from '../../actor/clock.ts';
import { apiClient, type ApiCall } from '../api-client.ts';
import { certificateRequestsPath } from '../api-path.ts';
import { apiFaultText } from '../api-request.ts';
import type { KeyAndRequest } from './client-certificate.ts';
import { nextBackOffMs } from '../../actor/back-off.ts';

/** The result of a certificate request. */
export type RequestedCertificate =
  { readonly ok: true; readonly certificate: string } | { readonly ok: false; readonly problem: string };

/** The signer of a certificate, and its use. */
export interface CertificatePurpose {
  readonly signerName: string;
  readonly usages: readonly string[];
}

/** For calls from the node to the API server. */
export const clientPurpose: CertificatePurpose = {
  signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
  usages: ['digital signature', 'client auth'],
};

/** For serving: calls to the node. */
export const servingPurpose: CertificatePurpose = {
  signerName: 'kubernetes.io/kubelet-serving',
  usages: ['digital signature', 'server auth'],
};

const POLL = { initialMs: 500, maxMs: 10_000 };
/** Somebody may have to approve it by hand. */
const SIGNED_WITHIN_MS = 15 * 60_000;

/** Requests a certificate (CertificateSigningRequest) and waits until it is signed. */
export async function requestCertificate(
  { request }: Pick<KeyAndRequest, 'request'>,
  {
    call,
    clock,
    purpose = clientPurpose,
  }: { readonly call: ApiCall; readonly clock: Clock; readonly purpose?: CertificatePurpose },
): Promise<RequestedCertificate> {
  const api = apiClient(call);
  const created = await api.create<{ readonly metadata?: { readonly name?: string } }>(certificateRequestsPath, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: purpose.signerName,
      usages: purpose.usages,
    },
  });
  if (!created.ok) return { ok: false, problem: apiFaultText(created.fault) };
  const { name = '' } = created.value.metadata ?? {};
  const path = `${certificateRequestsPath}/${encodeURIComponent(name)}`;
  const until = later(clock.monotonic(), SIGNED_WITHIN_MS);
  let waitMs = POLL.initialMs;
  let last = 'not signed';
  while (clock.monotonic() < until) {
    const read = await api.get<unknown>(path);
    const verdict = read.ok ? verdictOf(read.value) : undefined;
    if (verdict !== undefined) return verdict;
    if (!read.ok) last = apiFaultText(read.fault);
    await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    waitMs = nextBackOffMs(waitMs, POLL);
  }
  return { ok: false, problem: `signing request ${name}: ${last} within ${SIGNED_WITHIN_MS / 60_000} minutes` };
}

/** `undefined` when the request is not decided yet. */
function verdictOf(object: unknown): RequestedCertificate | undefined {
  // The API client has checked the shape of signing requests.
  const { metadata, status } = object as {
    metadata?: { name?: string };
    status?: { certificate?: unknown; conditions?: readonly { type?: string; reason?: string; message?: string }[] };
  };
  const refusal = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (refusal !== undefined) {
    const why = [refusal.reason, refusal.message].filter((text) => text !== undefined && text !== '').join(': ');
    return { ok: false, problem: `signing request ${metadata?.name}: ${refusal.type?.toLowerCase()} (${why})` };
  }
  if (typeof status?.certificate !== 'string' || status.certificate === '') return undefined;
  return { ok: true, certificate: Buffer.from(status.certificate, 'base64').toString('utf8') };
}
