import {
  ContainerEventType,
  ContainerState,
  PodSandboxState,
  type ContainerEventResponse,
} from '../../../src/cri/gen/api.ts';
import type { RuntimeCore } from '../../../src/embedded/runtime/runtime-core.ts';
import type { Complain } from './checkers.ts';

export interface KnownContainer {
  readonly id: string;
  readonly podUid: string;
  readonly name: string;
  readonly sandbox: string;
  state: ContainerState;
}

/** Follows the runtime's objects from its own events, and checks their invariants at every step. */
export class RuntimeChecker {
  readonly #core: RuntimeCore;
  readonly #complain: Complain;
  readonly #containers = new Map<string, KnownContainer>();
  readonly #ofPod = new Map<string, Set<KnownContainer>>();

  constructor(core: RuntimeCore, complain: Complain) {
    this.#core = core;
    this.#complain = complain;
    core.getContainerEvents((event) => this.#happened(event));
  }

  of(podUid: string): ReadonlySet<KnownContainer> {
    return this.#ofPod.get(podUid) ?? new Set();
  }

  running(podUid: string): readonly KnownContainer[] {
    return [...this.of(podUid)].filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
  }

  readySandboxes(podUid: string): readonly string[] {
    const { items } = this.#core.listPodSandbox({
      filter: {
        id: '',
        state: { state: PodSandboxState.SANDBOX_READY },
        labelSelector: { 'io.kubernetes.pod.uid': podUid },
      },
    });
    return items.map(({ id }) => id);
  }

  /** The number of dead instances of each container, and of dead sandboxes of each pod. */
  dead(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const { labels, state } of this.#core.listContainers({ filter: undefined }).containers) {
      const uid = labels['io.kubernetes.pod.uid'] ?? '';
      if (state === ContainerState.CONTAINER_EXITED) {
        count(`${labels['io.kubernetes.container.name']} of ${uid.slice(0, 8)}`);
      }
    }
    for (const { labels, state } of this.#core.listPodSandbox({ filter: undefined }).items) {
      const uid = labels['io.kubernetes.pod.uid'] ?? '';
      if (state === PodSandboxState.SANDBOX_NOTREADY) count(`the sandboxes of ${uid.slice(0, 8)}`);
    }
    return counts;
  }

  /** UIDs of all pods with a sandbox or container in the runtime. */
  get podUids(): ReadonlySet<string> {
    const { items } = this.#core.listPodSandbox({ filter: undefined });
    const { containers } = this.#core.listContainers({ filter: undefined });
    return new Set([...items, ...containers].map(({ labels }) => labels['io.kubernetes.pod.uid'] ?? ''));
  }

  /** The runtime lost an object without a notice. */
  recount(podUid: string): void {
    const { containers } = this.#core.listContainers({
      filter: { id: '', state: undefined, podSandboxId: '', labelSelector: { 'io.kubernetes.pod.uid': podUid } },
    });
    const there = new Set(containers.map(({ id }) => id));
    for (const known of this.#ofPod.get(podUid) ?? []) if (!there.has(known.id)) this.#forget(known);
  }

  #happened({ containerId, containerEventType, podSandboxStatus, containersStatuses }: ContainerEventResponse): void {
    const podUid = podSandboxStatus?.metadata?.uid;
    if (podUid === undefined || podSandboxStatus === undefined) return;
    if (containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT) {
      const known = this.#containers.get(containerId);
      if (known !== undefined) this.#forget(known);
      return;
    }
    for (const { id, metadata, state } of containersStatuses) {
      const known = this.#containers.get(id);
      if (known !== undefined) known.state = state;
      else this.#learn({ id, podUid, name: metadata?.name ?? '', sandbox: podSandboxStatus.id, state });
    }
    if (containerEventType === ContainerEventType.CONTAINER_STARTED_EVENT) this.#runsOnce(containerId);
  }

  #runsOnce(id: string): void {
    const started = this.#containers.get(id);
    if (started === undefined) return;
    const same = this.running(started.podUid).filter(({ name }) => name === started.name);
    if (same.length > 1) {
      this.#complain(
        'one-running-container',
        `${same.length} containers ${started.name} of pod ${started.podUid.slice(0, 8)} run at once`,
      );
    }
  }

  #learn(container: KnownContainer): void {
    this.#containers.set(container.id, container);
    const siblings = this.#ofPod.get(container.podUid);
    if (siblings === undefined) this.#ofPod.set(container.podUid, new Set([container]));
    else siblings.add(container);
  }

  #forget(container: KnownContainer): void {
    this.#containers.delete(container.id);
    const siblings = this.#ofPod.get(container.podUid);
    siblings?.delete(container);
    if (siblings?.size === 0) this.#ofPod.delete(container.podUid);
  }
}
