import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { quantityValue } from '../../../src/kube/quantity.ts';
import { isStaticPod } from '../../../src/kube/manifest/static-pod.ts';
import { podRequests } from '../../../src/node/admission/admitted-pods.ts';
import { beyondNode } from '../../../src/node/admission/admission.ts';
import { maySwap } from '../../../src/pod/cri-config/may-swap.ts';
import {
  requestedResizes,
  asksForOther,
  asksForOtherAsAWhole,
  changedResources,
  type InfeasibleDetail,
  POD_ITSELF,
  resizableContainers,
  resizeMessage,
  resourcesInStatus,
  resourcesOf,
  withResources,
  type AllocatedResources,
  type PendingResize,
  type PodResources,
} from '../../../src/pod/sync/pod-resizes.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { ResizeReport } from '../../pod-worker/protocol.ts';
import type { NodeAdmission } from './admission.ts';
import type { PodManagerEffect } from '../effects.ts';
import { wasAdmitted } from '../pod-facts.ts';

interface Infeasible {
  readonly detail: InfeasibleDetail;
  readonly message: string;
}

type SavedAllocation = (uid: PodUid) => AllocatedResources | undefined;

/**
 * The resources allocated to pods, where these differ from the requested ones (KEP-1287). A pod keeps its resources
 * until the node has room for the requested ones.
 */
export class Resizes {
  readonly #given = new Map<PodUid, AllocatedResources>();
  /** In order of arrival. */
  readonly #pending = new Map<PodUid, PendingResize>();
  /** The resources each pod last requested: the same request again is no further resize. */
  readonly #asked = new Map<PodUid, PodResources>();
  readonly #savedAllocation: SavedAllocation;

  constructor(savedAllocation: SavedAllocation) {
    this.#savedAllocation = savedAllocation;
  }

  /** Returns the pod with its allocated resources. */
  allocated(uid: PodUid, pod: Pod): Pod {
    const given = this.#given.get(uid);
    return given === undefined ? pod : withResources(pod, given.allocated);
  }

  reportOf(uid: PodUid): ResizeReport | undefined {
    const given = this.#given.get(uid);
    if (given === undefined) return undefined;
    const pending = this.#pending.get(uid);
    return { original: given.original, ...(pending && { pending }) };
  }

  /**
   * Handles a pod's request for other resources before its worker sees it: allocates or defers them. `before` is the
   * pod as its worker knows it. When `before` is `undefined`, the disk and the API hold what is known.
   */
  request(
    uid: PodUid,
    pod: Pod,
    { before, nodeAdmission }: { readonly before: Pod | undefined; readonly nodeAdmission: NodeAdmission },
  ): readonly PodManagerEffect[] {
    const base = this.#baseOf(uid, pod, before);
    if (!asksForOther(pod, base.allocated)) {
      this.#pending.delete(uid);
      this.#asked.delete(uid);
      return [];
    }
    this.#given.set(uid, base);
    // Requests made before the pod's worker existed were counted by the earlier manager.
    const asked = before === undefined ? [] : requestedResizes(pod, this.#asked.get(uid) ?? base.allocated);
    this.#asked.set(uid, resourcesOf(pod));
    const infeasible = asked.length === 0 ? undefined : this.#infeasible(uid, pod, nodeAdmission)?.detail;
    const effects = this.#tryFor(uid, pod, nodeAdmission);
    if (asked.length === 0) return effects;
    return [...effects, { type: 'resize-asked', uid, asked, ...(infeasible !== undefined && { infeasible }) }];
  }

  /** Returns deferred resizes in the order of retry: smaller requests first, then by rank, then by arrival. */
  deferred(desired: ReadonlyMap<PodUid, Pod>): readonly PodUid[] {
    const waiting = [...this.#pending].flatMap(([uid, { reason }], since) => {
      const pod = desired.get(uid);
      return reason === 'Deferred' && pod !== undefined ? [{ uid, pod, since }] : [];
    });
    const grows = new Map(waiting.map(({ uid, pod }) => [uid, this.#grows(uid, pod) ? 1 : 0]));
    const rank = ({ pod }: { readonly pod: Pod }): number => (qosClass(pod) === 'Guaranteed' ? 0 : 1);
    return waiting
      .sort(
        (one, other) =>
          (grows.get(one.uid) ?? 0) - (grows.get(other.uid) ?? 0) ||
          (other.pod.spec.priority ?? 0) - (one.pod.spec.priority ?? 0) ||
          rank(one) - rank(other) ||
          one.since - other.since,
      )
      .map(({ uid }) => uid);
  }

  /** How many resizes are pending, by reason. */
  get pendingByReason(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { reason } of this.#pending.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return counts;
  }

  get isAnyPending(): boolean {
    return this.#pending.size > 0;
  }

  forget(uid: PodUid): void {
    this.#given.delete(uid);
    this.#pending.delete(uid);
    this.#asked.delete(uid);
  }

  #baseOf(uid: PodUid, pod: Pod, before: Pod | undefined): AllocatedResources {
    const known =
      this.#given.get(uid) ?? (before === undefined && wasAdmitted(pod) ? this.#savedAllocation(uid) : undefined);
    if (known !== undefined) {
      this.#given.set(uid, known);
      return known;
    }
    const has = before === undefined ? resourcesInStatus(pod) : resourcesOf(before);
    return { original: has, allocated: has };
  }

  #grows(uid: PodUid, pod: Pod): boolean {
    const before = podRequests(this.allocated(uid, pod));
    return [...podRequests(pod)].some(([name, amount]) => amount > (before.get(name) ?? 0n));
  }

  #tryFor(uid: PodUid, pod: Pod, nodeAdmission: NodeAdmission): readonly PodManagerEffect[] {
    const given = this.#given.get(uid);
    if (given === undefined) return [];
    const never = this.#infeasible(uid, pod, nodeAdmission);
    const rejection = never === undefined ? nodeAdmission.judgeResize(uid, pod, this.allocated(uid, pod)) : undefined;
    if (never === undefined && rejection === undefined) {
      const next = { ...given, allocated: resourcesOf(pod) };
      const wasDeferred = this.#pending.get(uid)?.reason === 'Deferred';
      this.#given.set(uid, next);
      this.#pending.delete(uid);
      return [
        { type: 'keep-allocation', uid, allocation: next, ...(wasDeferred && { wasDeferred }) },
        this.#event(uid, pod, { type: 'Normal', reason: 'ResizeStarted', message: resizeMessage('started', pod) }),
      ];
    }
    const pending: PendingResize =
      never === undefined
        ? { reason: 'Deferred', message: rejection?.message ?? '' }
        : { reason: 'Infeasible', message: never.message };
    const before = this.#pending.get(uid);
    this.#pending.set(uid, pending);
    if (before?.reason === pending.reason && before.message === pending.message) return [];
    const message = resizeMessage(rejection?.reason ?? pending.reason, pod, pending.message);
    return [this.#event(uid, pod, { type: 'Warning', reason: `Resize${pending.reason}`, message })];
  }

  #infeasible(uid: PodUid, pod: Pod, nodeAdmission: NodeAdmission): Infeasible | undefined {
    if (isStaticPod(pod)) return { detail: 'static_pod', message: 'In-place resize of static pods is not supported' };
    if (qosClass(pod) !== qosClass(this.allocated(uid, pod))) {
      return { detail: 'qos_class', message: 'Pod QOS Class may not change as a result of resizing' };
    }
    if (asksForOtherAsAWhole(pod, this.#given.get(uid)?.allocated[POD_ITSELF]) && !nodeAdmission.mayResizePods)
      return {
        detail: 'feature_gate_off',
        message:
          'In-place resize of pod-level resources is not supported: InPlacePodLevelResourcesVerticalScaling is off',
      };
    if (nodeAdmission.swap === 'limited' && isSwapping(pod, this.allocated(uid, pod)))
      return { detail: 'swap_limitation', message: 'In-place resize of containers with swap is not supported.' };
    const message = nodeAdmission.node === undefined ? undefined : beyondNode(pod, nodeAdmission.node);
    return message === undefined ? undefined : { detail: 'insufficient_node_allocatable', message };
  }

  readonly #event = (
    uid: PodUid,
    pod: Pod,
    event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
  ): PodManagerEffect => ({ type: 'record-event', uid, pod, event });
}

/** Returns `true` if a container that may swap is to get other memory: the swap already used would not be reclaimed. */
function isSwapping(pod: Pod, allocated: Pod): boolean {
  const qos = qosClass(allocated);
  return resizableContainers(allocated).some((container) => {
    const wanted = resizableContainers(pod).find(({ name }) => name === container.name)?.resources;
    if (!changedResources(wanted, container.resources).includes('memory')) return false;
    const limit = container.resources?.limits?.['memory'] ?? allocated.spec.resources?.limits?.['memory'];
    return maySwap({ pod: allocated, container, qos, memoryLimit: quantityValue(limit) });
  });
}
