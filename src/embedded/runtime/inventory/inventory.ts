import type { ContainerFilter, PodSandboxFilter } from '../../../cri/gen/api.ts';
import { listedContainerBytes, listedSandboxBytes } from '../calls/messages.ts';
import type { ContainerRecord, SandboxRecord } from './records.ts';
import { RuntimeError } from '../runtime-error.ts';
import { hasLabels, UidIndex } from './uid-index.ts';

/** An empty filter: kubelets send one to list everything. */
const selectsAll = (filter: ContainerFilter | PodSandboxFilter): boolean =>
  filter.id === '' &&
  !filter.state &&
  !('podSandboxId' in filter && filter.podSandboxId !== '') &&
  Object.keys(filter.labelSelector).length === 0;

const oneOrNone = <T>(entry: T | undefined): readonly T[] => (entry === undefined ? [] : [entry]);

/**
 * All sandboxes and containers, their reserved names, and the cached list entries. Code that changes a record must
 * report it here (`containerChanged`, `sandboxChanged`); otherwise lists keep the old entry.
 */
export class Inventory {
  readonly #sandboxes = new Map<string, SandboxRecord>();
  readonly #containers = new Map<string, ContainerRecord>();
  readonly #reserved = new Map<string, string>();
  readonly #sandboxesByUid = new UidIndex<SandboxRecord>();
  readonly #containersByUid = new UidIndex<ContainerRecord>();
  #allSandboxes: Buffer | undefined;
  #allContainers: Buffer | undefined;

  /** Reserves a name for an ID, from the start of its creation until its removal. Throws if another ID has the name. */
  reserve(kind: 'sandbox' | 'container', name: string, id: string): void {
    const owner = this.#reserved.get(name);
    if (owner !== undefined) {
      const why = `name "${name}" is reserved for "${owner}"`;
      throw new RuntimeError('AlreadyExists', `failed to reserve ${kind} name "${name}": ${why}`);
    }
    this.#reserved.set(name, id);
  }

  /** Releases the name, if it still belongs to this ID. */
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

  /** Returns the sandboxes that match the filter, oldest first. */
  sandboxes(filter?: PodSandboxFilter): SandboxRecord[] {
    if (!filter || selectsAll(filter)) return [...this.#sandboxes.values()];
    const { id, state, labelSelector } = filter;
    const candidates = id
      ? oneOrNone(this.#sandboxes.get(id))
      : (this.#sandboxesByUid.selected(labelSelector) ?? this.#sandboxes.values());
    return [...candidates].filter(
      (sandbox) => (!state || sandbox.state === state.state) && hasLabels(sandbox.config.labels, labelSelector),
    );
  }

  /** Returns the containers that match the filter, oldest first. */
  containers(filter?: ContainerFilter): ContainerRecord[] {
    if (!filter || selectsAll(filter)) return [...this.#containers.values()];
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

  /** Returns an encoded ListPodSandboxResponse. */
  sandboxesEncoded(filter?: PodSandboxFilter): Buffer {
    if (filter && !selectsAll(filter)) return Buffer.concat(this.sandboxes(filter).map(listedSandboxBytes));
    return (this.#allSandboxes ??= Buffer.concat(this.sandboxes().map(listedSandboxBytes)));
  }

  /** Returns an encoded ListContainersResponse. */
  containersEncoded(filter?: ContainerFilter): Buffer {
    if (filter && !selectsAll(filter)) return Buffer.concat(this.containers(filter).map(listedContainerBytes));
    return (this.#allContainers ??= Buffer.concat(this.containers().map(listedContainerBytes)));
  }
}
