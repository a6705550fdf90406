import { ContainerState } from '../../../cri/gen/api.ts';
import type { ContainerLife } from '../calls/container-life.ts';
import { isReady } from '../calls/messages.ts';
import type { ContainerRecord, SandboxRecord } from '../inventory/records.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { notFound } from '../runtime-error.ts';
import type { SandboxLife } from '../calls/sandbox-life.ts';

/** Which pod: by its name, and by namespace and UID where the name alone would not do. */
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
 * What happens to containers and sandboxes behind the kubelet's back. Every method throws a NotFound error if there is
 * nothing of that name in the state that it needs; of several, the newest is meant.
 */
export class RuntimeControl {
  readonly #parts: Controlled;

  constructor(parts: Controlled) {
    this.#parts = parts;
  }

  /** A running container exits by itself. */
  exit(choice: ContainerChoice, code: number): void {
    this.#parts.containers.end(this.#running(choice), { code });
  }

  /** A running container is forgotten, without a trace and without an event. */
  vanish(choice: ContainerChoice): void {
    this.#parts.sandboxes.vanishContainer(this.#running(choice));
  }

  /** A ready sandbox stops being ready; its containers run on. */
  sandboxDie(choice: PodChoice): void {
    const sandbox = this.#sandboxes(choice).findLast(isReady);
    if (!sandbox) throw notFound('ready sandbox of pod', choice.pod);
    this.#parts.sandboxes.die(sandbox);
  }

  /** The newest sandbox and its containers are forgotten, without a trace and without an event. */
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
