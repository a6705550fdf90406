import type { MonotonicMs } from '../../actor/clock.ts';
import type { ApiClient } from '../../api/api-client.ts';
import { isNotFound, type ApiFault } from '../../api/api-request.ts';
import { trustAnchors } from './trust-anchors.ts';
import type { BundleAnswer } from '../plan/object-source.ts';
import type { BundleRequest } from '../plan/volume-plan.ts';

interface ClusterTrustBundle {
  readonly spec?: { readonly signerName?: string; readonly trustBundle?: string };
}

const PATH = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
/** Many pods use the same bundles, each about once a minute. */
const KEPT_MS = 20_000;
const MOST_KEPT = 200;

/** ClusterTrustBundles of the API. An answer is at most 20 s old. Concurrent callers share one request. */
export class TrustBundles {
  readonly #api: Pick<ApiClient, 'get'>;
  readonly #monotonic: () => MonotonicMs;
  readonly #kept = new Map<string, { readonly at: MonotonicMs; readonly answer: Promise<BundleAnswer> }>();

  constructor(api: Pick<ApiClient, 'get'>, monotonic: () => MonotonicMs) {
    this.#api = api;
    this.#monotonic = monotonic;
  }

  get(request: BundleRequest): Promise<BundleAnswer> {
    const key = JSON.stringify(request);
    const now = this.#monotonic();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.at < KEPT_MS) return kept.answer;
    const answer = 'name' in request ? this.#byName(request.name) : this.#bySigner(request);
    this.#kept.delete(key);
    this.#kept.set(key, { at: now, answer });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    void this.#forgetFailure(key, answer);
    return answer;
  }

  /** Drops a failed answer, so that the next caller asks at once. */
  async #forgetFailure(key: string, answer: Promise<BundleAnswer>): Promise<void> {
    const { type } = await answer;
    if (type === 'failed' && this.#kept.get(key)?.answer === answer) this.#kept.delete(key);
  }

  async #byName(name: string): Promise<BundleAnswer> {
    const found = await this.#api.get<ClusterTrustBundle>(`${PATH}/${encodeURIComponent(name)}`);
    if (found.ok) return anchorsOf([found.value]);
    const message = `while getting ClusterTrustBundle: ${found.fault.message}`;
    return { type: absence(found.fault), message };
  }

  async #bySigner({ signerName, labels }: Extract<BundleRequest, { signerName: string }>): Promise<BundleAnswer> {
    const none = 'combination of signerName and labelSelector matched zero ClusterTrustBundles';
    // A missing selector selects nothing (meta/v1 LabelSelector).
    if (labels === undefined) return { type: 'missing', message: none };
    const query = new URLSearchParams({ fieldSelector: `spec.signerName=${signerName}`, labelSelector: labels });
    const found = await this.#api.get<{ readonly items?: readonly ClusterTrustBundle[] }>(
      `${PATH}?${query.toString()}`,
    );
    if (!found.ok) {
      return { type: absence(found.fault), message: `while listing ClusterTrustBundles: ${found.fault.message}` };
    }
    const picked = (found.value.items ?? []).filter(({ spec }) => spec?.signerName === signerName);
    return picked.length === 0 ? { type: 'missing', message: none } : anchorsOf(picked);
  }
}

/** A server that does not know the kind has no bundles either. */
const absence = (fault: ApiFault): 'missing' | 'failed' => (isNotFound(fault) ? 'missing' : 'failed');

function anchorsOf(bundles: readonly ClusterTrustBundle[]): BundleAnswer {
  const anchors = trustAnchors(bundles.map(({ spec }) => spec?.trustBundle ?? ''));
  return anchors.ok
    ? { type: 'found', pem: anchors.pem }
    : { type: 'failed', message: `while normalizing trust anchors: ${anchors.message}` };
}
