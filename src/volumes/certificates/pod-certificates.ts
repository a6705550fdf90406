import type { ApiClient } from '../../api/api-client.ts';
import { nodePath, serviceAccountPath } from '../../api/api-path.ts';
import { isNotFound } from '../../api/api-request.ts';
import type { Clock, WallMs } from '../../actor/clock.ts';
import type { CertificateAnswer } from '../plan/object-source.ts';
import { certificateKey } from './pod-certificate-key.ts';
import {
  certificateState,
  problemsOf,
  afterRequestCheck,
  nextStep,
  type CertificateProblem,
  type CertificateRecord,
  type CertificateState,
  type PodCertificateRequest,
} from './pod-certificate-state.ts';
import type { FilesSource, PodVolumes } from '../plan/volume-plan.ts';

export type CertificateSource = Extract<FilesSource, { type: 'certificate' }>;
export type PodOfCertificate = Pick<PodVolumes, 'namespace' | 'podName' | 'podUid'>;

export interface PodCertificatesDeps {
  readonly api: ApiClient;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly nodeName: string;
  /** Called when a problem with a pod's certificate begins. */
  readonly complain: (pod: PodOfCertificate, complaint: CertificateProblem) => void;
}

interface Kept {
  readonly signerName: string;
  record: CertificateRecord;
  /** Wall clock. */
  wantedAt: WallMs;
  /** The request under way. Later callers wait for the same one. */
  underWay: Promise<void> | undefined;
  /** The known problems, each of which is reported once. */
  said: ReadonlySet<string>;
}

const DEFAULT_SECONDS = 86_400;
const REFRESH_SPREAD_MS = 5 * 60_000;
/**
 * Volumes are refreshed every minute or two. A certificate that was not asked for in this time belongs to a removed
 * pod.
 */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
const API = 'certificates.k8s.io/v1beta1';

/**
 * Certificates of pods (KEP-4317). A key is generated here and never leaves the node. Its certificate is requested,
 * awaited, and renewed when its signer says so. Certificates are kept in memory only, as in the kubelet: after a
 * restart new ones are issued.
 */
export class PodCertificates {
  readonly #deps: PodCertificatesDeps;
  readonly #kept = new Map<string, Kept>();

  constructor(deps: PodCertificatesDeps) {
    this.#deps = deps;
  }

  /** Returns the present certificate. A certificate that is not issued yet counts as a failure: the caller retries. */
  async get(pod: PodOfCertificate, source: CertificateSource): Promise<CertificateAnswer> {
    const kept = this.#keep(`${pod.podUid} ${JSON.stringify(source)}`, source.signerName);
    kept.underWay ??= this.#step(kept, pod, source).finally(() => {
      kept.underWay = undefined;
      this.#complain(kept, pod);
    });
    try {
      await kept.underWay;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!isUsable(kept.record, this.#deps.clock.now())) return { type: 'failed', message: error.message };
    }
    const { issued, refused } = kept.record;
    const now = this.#deps.clock.now();
    if (issued !== undefined && now < issued.notAfter) return { type: 'found', key: issued.key, chain: issued.chain };
    return { type: 'failed', message: refused?.message ?? 'the certificate of the pod has not been issued yet' };
  }

  /** Returns the number of certificates by signer and state, for metrics. */
  counts(): readonly (readonly [labels: readonly [signerName: string, state: CertificateState], count: number])[] {
    const now = this.#deps.clock.now();
    const all = [...this.#kept.values()].map(({ signerName, record }) => ({
      labels: [signerName, certificateState(record, now)] as const,
    }));
    return [...Map.groupBy(all, ({ labels }) => labels.join(' ')).values()].flatMap((same) =>
      same[0] === undefined ? [] : [[same[0].labels, same.length] as const],
    );
  }

  #keep(key: string, signerName: string): Kept {
    const now = this.#deps.clock.now();
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      for (const [other, { wantedAt }] of this.#kept) if (now - wantedAt > FORGOTTEN_AFTER_MS) this.#kept.delete(other);
      kept = { signerName, record: {}, wantedAt: now, underWay: undefined, said: new Set() };
      this.#kept.set(key, kept);
    }
    kept.wantedAt = now;
    return kept;
  }

  async #step(kept: Kept, pod: PodOfCertificate, source: CertificateSource): Promise<void> {
    switch (nextStep(kept.record, this.#deps.clock.now())) {
      case 'use':
      case 'refused':
        return;
      case 'ask':
        return this.#ask(kept, pod, source);
      case 'check':
        return this.#checkRequest(kept, pod);
    }
  }

  #complain(kept: Kept, pod: PodOfCertificate): void {
    const problems = problemsOf(kept.record, this.#deps.clock.now());
    for (const each of problems) if (!kept.said.has(each.message)) this.#deps.complain(pod, each);
    kept.said = new Set(problems.map(({ message }) => message));
  }

  async #ask(kept: Kept, pod: PodOfCertificate, source: CertificateSource): Promise<void> {
    const { api, nodeName } = this.#deps;
    const { serviceAccount, signerName, keyType, maxExpirationSeconds = DEFAULT_SECONDS, userAnnotations } = source;
    const [account, node, key] = await Promise.all([
      this.#uidOf(serviceAccountPath(pod.namespace, serviceAccount)),
      this.#uidOf(nodePath(nodeName)),
      certificateKey(keyType, pod.podUid),
    ]);
    if (key === undefined) throw new Refused(`unknown type of key ${JSON.stringify(keyType)}`);
    const made = await api.create<PodCertificateRequest>(requestsPath(pod.namespace), {
      apiVersion: API,
      kind: 'PodCertificateRequest',
      metadata: {
        generateName: 'req-',
        namespace: pod.namespace,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: pod.podName, uid: pod.podUid }],
      },
      spec: {
        signerName,
        podName: pod.podName,
        podUID: pod.podUid,
        serviceAccountName: serviceAccount,
        serviceAccountUID: account,
        nodeName,
        nodeUID: node,
        maxExpirationSeconds,
        pkixPublicKey: key.publicKey,
        proofOfPossession: key.proof,
        ...(userAnnotations === undefined ? {} : { unverifiedUserAnnotations: userAnnotations }),
      },
    });
    if (!made.ok) throw new Refused(`while creating a PodCertificateRequest: ${made.fault.message}`);
    const { issued } = kept.record;
    kept.record = { ...(issued === undefined ? {} : { issued }), asked: { name: made.value.metadata.name, key } };
  }

  async #checkRequest(kept: Kept, pod: PodOfCertificate): Promise<void> {
    const { api, clock, random } = this.#deps;
    const { asked, issued } = kept.record;
    if (asked === undefined) return;
    const found = await api.get<PodCertificateRequest>(requestsPath(pod.namespace, asked.name));
    if (found.ok) {
      kept.record = afterRequestCheck(kept.record, found.value, {
        now: clock.now(),
        waitMs: random() * REFRESH_SPREAD_MS,
      });
      return;
    }
    // The request was removed, so it will never be issued.
    if (isNotFound(found.fault)) kept.record = issued === undefined ? {} : { issued };
    throw new Refused(`while reading PodCertificateRequest ${asked.name}: ${found.fault.message}`);
  }

  async #uidOf(path: string): Promise<string> {
    const found = await this.#deps.api.get<{ readonly metadata: { readonly uid?: string } }>(path);
    if (!found.ok) throw new Refused(`while asking for the certificate of the pod: ${found.fault.message}`);
    return found.value.metadata.uid ?? '';
  }
}

/** The failure is returned to the caller. The next call tries again. */
class Refused extends Error {}

const isUsable = ({ issued }: CertificateRecord, now: WallMs): boolean => issued !== undefined && now < issued.notAfter;

const requestsPath = (namespace: string, name?: string): string =>
  [
    '/apis',
    API,
    'namespaces',
    encodeURIComponent(namespace),
    'podcertificaterequests',
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
  ].join('/');
