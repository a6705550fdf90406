import { own } from '../../src/kube/text/own.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, podKey, type Pod, type PodStatus } from '../../src/kube/pod.ts';
import { CONFIG_MIRROR_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { Rejection } from '../../src/node/admission/admission.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { hasEndedByItself } from '../../src/pod/status/earlier-status.ts';
import { apiPodView } from '../../src/pod/source/api-pod-view.ts';
import { rejectedStatus } from '../../src/pod/status/rejected-status.ts';
import type { PodManagerEffect } from './effects.ts';
import { isFromApi } from './pod-facts.ts';

/**
 * The API's pods beside the desired ones: mirror pods, and ended pods whose object still exists. The status manager and
 * the mirror pods actor receive changes at once, and can request all of it again.
 */
export class ApiObjects {
  readonly #api: 'api' | 'none';
  readonly #mirrors = new Map<string, Pod>();
  /** Mirror pods that show an end from which their static pods start again. They are replaced. */
  readonly #outdated = new Set<string>();
  /** By static pod, the status that an earlier agent gave the pod. */
  readonly #earlier = new Map<PodUid, PodStatus>();
  /** The last status of each. */
  readonly #over = new Map<PodUid, PodStatus>();

  constructor(api: 'api' | 'none') {
    this.#api = api;
  }

  hasMirror(uid: PodUid): boolean {
    return this.#mirrors.has(uid);
  }

  get mirrors(): number {
    return this.#mirrors.size;
  }

  mirrorSeen(mirror: Pod): readonly PodManagerEffect[] {
    this.#mirrors.set(mirror.metadata.uid, mirror);
    const uid = staticUidOf(mirror);
    return [...this.#mirrorObject(uid, mirror), this.#toMirrors(uid, mirror)];
  }

  /**
   * A mirror pod of the first list: it is older than this agent, and its status is the pod's earlier one. A static pod
   * that its node ended or rejected starts again, and its terminal phase must not be taken back: such a mirror pod is
   * replaced.
   */
  earlierMirrorSeen(mirror: Pod): readonly PodManagerEffect[] {
    const { status = {} } = mirror;
    if (isTerminalPhase(status.phase) && !hasEndedByItself(mirror)) this.#outdated.add(mirror.metadata.uid);
    else if (status.phase !== undefined) this.#earlier.set(staticUidOf(mirror), status);
    return this.mirrorSeen(mirror);
  }

  #mirrorObject(uid: PodUid, mirror: Pod): readonly PodManagerEffect[] {
    return this.#outdated.has(mirror.metadata.uid) ? [] : objectSeen(uid, mirror);
  }

  #toMirrors(uid: PodUid, mirror: Pod): PodManagerEffect {
    const isOutdated = this.#outdated.has(mirror.metadata.uid);
    const command = { type: 'mirror-pod-present', mirror, ...(isOutdated && { outdated: true as const }) } as const;
    return { type: 'tell-mirrors', uid, command };
  }

  /** Returns the static pod with its earlier status, if an earlier agent gave it any. */
  withEarlierStatus(uid: PodUid, pod: Pod): Pod {
    const status = isFromApi(pod) ? undefined : this.#earlier.get(uid);
    return status === undefined ? pod : { ...pod, status };
  }

  /** Returns the last status of a static pod that ended by itself under an earlier agent. */
  earlierEnd(uid: PodUid): PodStatus | undefined {
    const status = this.#earlier.get(uid);
    return status !== undefined && isTerminalPhase(status.phase) ? status : undefined;
  }

  mirrorGone(objectUid: PodUid): readonly PodManagerEffect[] {
    const mirror = this.#mirrors.get(objectUid);
    if (mirror === undefined) return [];
    this.#mirrors.delete(objectUid);
    this.#outdated.delete(objectUid);
    const uid = staticUidOf(mirror);
    const fullName = podFullName(mirror);
    return [
      { type: 'tell-status', uid, command: { type: 'api-pod-gone', podUid: uid, objectUid } },
      { type: 'tell-mirrors', uid, command: { type: 'mirror-pod-gone', objectUid, fullName } },
    ];
  }

  /** Removes the mirror pods that the API no longer has, given that `named` is all it has. */
  mirrorsExcept(named: ReadonlySet<PodUid>): readonly PodManagerEffect[] {
    const dropped = [...this.#mirrors.keys()].map(podUid).filter((uid) => !named.has(uid));
    return dropped.flatMap((uid) => this.mirrorGone(uid));
  }

  isOver(uid: PodUid): boolean {
    return this.#over.has(uid);
  }

  /** Nothing remains to be done for the pod on this node. */
  over(uid: PodUid, pod: Pod, status: PodStatus): readonly PodManagerEffect[] {
    this.#over.set(uid, status);
    return [finished(uid, pod, status)];
  }

  /** The node rejects the pod: its object gets the reason, and the pod is over. */
  rejected(uid: PodUid, pod: Pod, rejection: Rejection): readonly PodManagerEffect[] {
    return [
      { type: 'tell-rejection', uid, pod, rejection },
      ...this.staticPresent(uid, pod),
      ...this.over(uid, pod, rejectedStatus(pod, rejection)),
    ];
  }

  /** The pod's life ends: a later life under the same UID does not continue its status. */
  lifeEnds(uid: PodUid): void {
    this.#earlier.delete(uid);
  }

  forget(uid: PodUid): boolean {
    return this.#over.delete(uid);
  }

  /** For a status manager that has lost its state. */
  statusReport(desired: ReadonlyMap<PodUid, Pod>): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const mirror of this.#mirrors.values()) effects.push(...this.#mirrorObject(staticUidOf(mirror), mirror));
    for (const [uid, pod] of desired) {
      if (isFromApi(pod)) effects.push(...objectSeen(uid, pod));
      const status = this.#over.get(uid);
      if (status !== undefined) effects.push(finished(uid, pod, status));
    }
    return effects;
  }

  /** For a mirror pods actor that has lost its state. */
  mirrorReport(
    workers: ReadonlyMap<PodUid, { readonly pod: Pod | undefined }>,
    desired: ReadonlyMap<PodUid, Pod>,
  ): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const [uid, { pod }] of workers) if (pod !== undefined) effects.push(...this.staticPresent(uid, pod));
    for (const [uid, pod] of desired) if (this.isOver(uid)) effects.push(...this.staticPresent(uid, pod));
    for (const mirror of this.#mirrors.values()) effects.push(this.#toMirrors(staticUidOf(mirror), mirror));
    return effects;
  }

  /**
   * Sends the mirror pod of a static pod that continues under the same UID: the status manager has just dropped its
   * record.
   */
  mirrorRemains(uid: PodUid): readonly PodManagerEffect[] {
    const mirror = [...this.#mirrors.values()].find((each) => staticUidOf(each) === uid);
    return mirror === undefined ? [] : this.#mirrorObject(uid, mirror);
  }

  staticPresent(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    if (this.#api === 'none' || isFromApi(pod)) return [];
    return [{ type: 'tell-mirrors', uid, command: { type: 'static-pod-present', pod } }];
  }

  staticGone(uid: PodUid, pod: Pod): readonly PodManagerEffect[] {
    if (this.#api === 'none' || isFromApi(pod)) return [];
    const fullName = podFullName(pod);
    return [{ type: 'tell-mirrors', uid, command: { type: 'static-pod-gone', podUid: uid, fullName } }];
  }
}

/** A static pod's hash is its UID on this node. Its mirror pod carries the hash. */
export const staticUidOf = ({ metadata }: Pod): PodUid =>
  podUid(own(metadata.annotations, CONFIG_MIRROR_ANNOTATION) ?? '');

export const objectSeen = (uid: PodUid, pod: Pod): readonly PodManagerEffect[] => [
  { type: 'tell-status', uid, command: { type: 'api-pod-changed', podUid: uid, object: apiPodView(pod) } },
];

const finished = (uid: PodUid, pod: Pod, status: PodStatus): PodManagerEffect => ({
  type: 'tell-status',
  uid,
  command: { type: 'pod-finished', podUid: uid, pod: podKey(pod), status },
});
