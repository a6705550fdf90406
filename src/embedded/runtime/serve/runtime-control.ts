import { ContainerState } from '../../../cri/gen/api.ts';
import type { ContainerLife } from '../calls/container-life.ts';
import { isReady } from '../calls/messages.ts';
import type { ContainerRecord, SandboxRecord } from '../inventory/records.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { notFound } from '../runtime-error.ts';
import type { SandboxLife } from '../calls/sandbox-life.ts';

/** Selects a pod by name, and by namespace and UID when the name is ambiguous. */
export interface PodChoice {
  readonly pod: string;
  readonly namespace?: string;
  readonly uid?: string;
}

export interface ContainerChoice extends PodChoice {
  readonly container: string;
}

/** The parts of the runtime that control needs. */
export interface Controlled {
  readonly context: RuntimeContext;
  readonly containers: ContainerLife;
  readonly sandboxes: SandboxLife;
}

/**
 * Changes containers and sandboxes behind the kubelet's back. Every method throws a NotFound error if no object of
 * that name is in the required state; among several, the newest is chosen.
 */
export class RuntimeControl {
  readonly #parts: Controlled;

  constructor(parts: Controlled) {
    this.#parts = parts;
  }

  /** Makes a running container exit by itself. */
  exit(choice: ContainerChoice, code: number): void {
    this.#parts.containers.end(this.#running(choice), { code });
  }

  /** Removes a running container without a trace or an event. */
  vanish(choice: ContainerChoice): void {
    this.#parts.sandboxes.vanishContainer(this.#running(choice));
  }

  /** Makes a ready sandbox not ready; its containers keep running. */
  sandboxDie(choice: PodChoice): void {
    const sandbox = this.#sandboxes(choice).findLast(isReady);
    if (!sandbox) throw notFound('ready sandbox of pod', choice.pod);
    this.#parts.sandboxes.die(sandbox);
  }

  /** Removes the newest sandbox and its containers without a trace or an event. */
  sandboxVanish(choice: PodChoice): void {
    const sandbox = this.#sandboxes(choice).at(-1);
    if (!sandbox) throw notFound('sandbox of pod', choice.pod);
    this.#parts.sandboxes.vanish(sandbox);
  }

  #sandboxes(choice: PodChoice): SandboxRecord[] {
    return this.#parts.context.inventory
      .sandboxes()
      .filter(
        (sandbox) =>
          sandbox.podName === choice.pod &&
          (choice.namespace === undefined || sandbox.podNamespace === choice.namespace) &&
          (choice.uid === undefined || sandbox.podUid === choice.uid),
      );
  }

  #running(choice: ContainerChoice): ContainerRecord {
    const found = this.#sandboxes(choice)
      .flatMap((sandbox) => [...sandbox.containers.values()])
      .findLast(({ name, state }) => name === choice.container && state === ContainerState.CONTAINER_RUNNING);
    if (!found) throw notFound('running container', `${choice.pod}/${choice.container}`);
    return found;
  }
}
