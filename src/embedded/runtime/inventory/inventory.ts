import type { ContainerFilter, PodSandboxFilter } from '../../../cri/gen/api.ts';
import { listedContainerBytes, listedSandboxBytes } from '../calls/messages.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';
import { RuntimeError } from '../runtime-error.ts';
import { hasLabels, UidIndex } from './uid-index.ts';

/** A filter that says nothing: kubelets send one to ask for everything. */
const letsAllThrough = (filter: ContainerFilter | PodSandboxFilter): boolean =>
  filter.id === '' &&
  !filter.state &&
  !('podSandboxId' in filter && filter.podSandboxId !== '') &&
  Object.keys(filter.labelSelector).length === 0;

const oneOrNone = <T>(entry: T | undefined): readonly T[] => (entry === undefined ? [] : [entry]);

/**
 * All sandboxes and containers, with the names that are taken and the answers that lists give. Whoever changes a record
 * says so here (`containerChanged`, `sandboxChanged`), or lists keep answering with the old entry.
 */
export class Inventory {
  readonly #sandboxes = new Map<string, SandboxRecord>();
  readonly #containers = new Map<string, ContainerRecord>();
  readonly #reserved = new Map<string, string>();
  readonly #sandboxesByUid = new UidIndex<SandboxRecord>();
  readonly #containersByUid = new UidIndex<ContainerRecord>();
  #allSandboxes: Buffer | undefined;
  #allContainers: Buffer | undefined;

  /** Takes a name for an id, from the beginning of its making until it is removed. Throws if another has it. */
  reserve(kind: 'sandbox' | 'container', name: string, id: string): void {
    const owner = this.#reserved.get(name);
    if (owner !== undefined) {
      const why = `name "${name}" is reserved for "${owner}"`;
      throw new RuntimeError('AlreadyExists', `failed to reserve ${kind} name "${name}": ${why}`);
    }
    this.#reserved.set(name, id);
  }

  /** Gives the name back, if it still belongs to this id. */
  release(name: string, id: string): void {
    if (this.#reserved.get(name) === id) this.#reserved.delete(name);
  }

  sandbox(id: string): SandboxRecord | undefined {
    return this.#sandboxes.get(id);
  }

  container(id: string): ContainerRecord | undefined {
    return this.#containers.get(id);
  }

  addSandbox(sandbox: SandboxRecord): void {
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#sandboxesByUid.add(sandbox);
    this.sandboxChanged(sandbox);
  }

  dropSandbox(sandbox: SandboxRecord): void {
    this.#sandboxes.delete(sandbox.id);
    this.#sandboxesByUid.drop(sandbox);
    this.release(sandbox.reservedName, sandbox.id);
    this.sandboxChanged(sandbox);
  }

  addContainer(container: ContainerRecord): void {
    this.#containers.set(container.id, container);
    this.#containersByUid.add(container);
    container.sandbox.containers.set(container.id, container);
    this.containerChanged(container);
  }

  dropContainer(container: ContainerRecord): void {
    this.#containers.delete(container.id);
    this.#containersByUid.drop(container);
    container.sandbox.containers.delete(container.id);
    this.release(container.reservedName, container.id);
    this.containerChanged(container);
  }

  sandboxChanged(sandbox: SandboxRecord): void {
    sandbox.listed = undefined;
    this.#allSandboxes = undefined;
  }

  containerChanged(container: ContainerRecord): void {
    container.listed = undefined;
    this.#allContainers = undefined;
  }

  /** The sandboxes a filter lets through, oldest first. */
  sandboxes(filter?: PodSandboxFilter): SandboxRecord[] {
    if (!filter || letsAllThrough(filter)) return [...this.#sandboxes.values()];
    const { id, state, labelSelector } = filter;
    const candidates = id
      ? oneOrNone(this.#sandboxes.get(id))
      : (this.#sandboxesByUid.selected(labelSelector) ?? this.#sandboxes.values());
    return [...candidates].filter(
      (sandbox) => (!state || sandbox.state === state.state) && hasLabels(sandbox.config.labels, labelSelector),
    );
  }

  /** The containers a filter lets through, oldest first. */
  containers(filter?: ContainerFilter): ContainerRecord[] {
    if (!filter || letsAllThrough(filter)) return [...this.#containers.values()];
    const { id, state, podSandboxId, labelSelector } = filter;
    let candidates: Iterable<ContainerRecord>;
    if (id) candidates = oneOrNone(this.#containers.get(id));
    else if (podSandboxId) candidates = this.#sandboxes.get(podSandboxId)?.containers.values() ?? [];
    else candidates = this.#containersByUid.selected(labelSelector) ?? this.#containers.values();
    return [...candidates].filter(
      (container) =>
        (!state || container.state === state.state) &&
        (!podSandboxId || container.sandbox.id === podSandboxId) &&
        hasLabels(container.config.labels, labelSelector),
    );
  }

  /** An encoded ListPodSandboxResponse. */
  sandboxesEncoded(filter?: PodSandboxFilter): Buffer {
    if (filter && !letsAllThrough(filter)) return Buffer.concat(this.sandboxes(filter).map(listedSandboxBytes));
    return (this.#allSandboxes ??= Buffer.concat(this.sandboxes().map(listedSandboxBytes)));
  }

  /** An encoded ListContainersResponse. */
  containersEncoded(filter?: ContainerFilter): Buffer {
    if (filter && !letsAllThrough(filter)) return Buffer.concat(this.containers(filter).map(listedContainerBytes));
    return (this.#allContainers ??= Buffer.concat(this.containers().map(listedContainerBytes)));
  }
}
