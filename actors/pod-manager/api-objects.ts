import { own } from '../../src/kube/text/own.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { podFullName, podKey, type Pod, type PodStatus } from '../../src/kube/pod.ts';
import { CONFIG_MIRROR_ANNOTATION } from '../../src/kube/manifest/static-pod.ts';
import type { Rejection } from '../../src/node/admission/admission.ts';
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
    return [...objectSeen(uid, mirror), { type: 'tell-mirrors', uid, command: { type: 'mirror-pod-present', mirror } }];
  }

  mirrorGone(objectUid: PodUid): readonly PodManagerEffect[] {
    const mirror = this.#mirrors.get(objectUid);
    if (mirror === undefined) return [];
    this.#mirrors.delete(objectUid);
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

  forget(uid: PodUid): boolean {
    return this.#over.delete(uid);
  }

  /** For a status manager that has lost its state. */
  statusReport(desired: ReadonlyMap<PodUid, Pod>): readonly PodManagerEffect[] {
    const effects: PodManagerEffect[] = [];
    for (const mirror of this.#mirrors.values()) effects.push(...objectSeen(staticUidOf(mirror), mirror));
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
    for (const mirror of this.#mirrors.values()) {
      effects.push({ type: 'tell-mirrors', uid: staticUidOf(mirror), command: { type: 'mirror-pod-present', mirror } });
    }
    return effects;
  }

  /**
   * Sends the mirror pod of a static pod that continues under the same UID: the status manager has just dropped its
   * record.
   */
  mirrorRemains(uid: PodUid): readonly PodManagerEffect[] {
    const mirror = [...this.#mirrors.values()].find((each) => staticUidOf(each) === uid);
    return mirror === undefined ? [] : objectSeen(uid, mirror);
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
const staticUidOf = ({ metadata }: Pod): PodUid => podUid(own(metadata.annotations, CONFIG_MIRROR_ANNOTATION) ?? '');

export const objectSeen = (uid: PodUid, pod: Pod): readonly PodManagerEffect[] => [
  { type: 'tell-status', uid, command: { type: 'api-pod-changed', podUid: uid, object: apiPodView(pod) } },
];

const finished = (uid: PodUid, pod: Pod, status: PodStatus): PodManagerEffect => ({
  type: 'tell-status',
  uid,
  command: { type: 'pod-finished', podUid: uid, pod: podKey(pod), status },
});
