import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { CriFault } from '../../src/cri/fault.ts';
import { RawList } from '../../src/cri/raw-list.ts';
import { excerpt } from '../../src/kube/text/excerpt.ts';
import { listedContainer, listedSandbox } from './inspect.ts';
import type { ListDelta, ListedContainer, ListedSandbox } from './runtime-lists.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/** Both lists of one relist, as the runtime encoded them. */
export interface RawLists {
  readonly sandboxes: Uint8Array;
  readonly containers: Uint8Array;
}

/** `PodSandbox.state` and `Container.state`. */
const SANDBOX_STATE_FIELD = 3;
const CONTAINER_STATE_FIELD = 6;

/** The lists of the previous relist, compared with each new one. */
export class PodLists {
  readonly #sandboxes = new RawList(SANDBOX_STATE_FIELD);
  readonly #containers = new RawList(CONTAINER_STATE_FIELD);

  /**
   * Accepts both lists or neither. An unreadable list fails the relist, and the next relist compares with the same
   * lists.
   */
  delta(lists: RawLists & { readonly at: MonotonicMs }, inDoubt: ReadonlySet<string>): ListDelta | CriFault {
    let method = '';
    try {
      method = 'ListPodSandbox';
      const sandboxes = this.#sandboxes.compare(lists.sandboxes, inDoubt);
      method = 'ListContainers';
      const containers = this.#containers.compare(lists.containers, inDoubt);
      const candidates = new Set([
        ...sandboxes.changed,
        ...containers.changed,
        ...sandboxes.vanished,
        ...containers.vanished,
        ...inDoubt,
      ]);
      const delta: { at: MonotonicMs; sandboxes: ListedSandbox[]; containers: ListedContainer[] } = {
        at: lists.at,
        sandboxes: [],
        containers: [],
      };
      const absent: string[] = [];
      for (const id of candidates) {
        const sandbox = sandboxes.entries.get(id);
        const container = sandbox === undefined ? containers.entries.get(id) : undefined;
        method = sandbox === undefined ? 'ListContainers' : 'ListPodSandbox';
        if (sandbox !== undefined) delta.sandboxes.push(...listedSandbox(sandbox.bytes));
        else if (container !== undefined) delta.containers.push(...listedContainer(container.bytes));
        else absent.push(id);
      }
      this.#sandboxes.accept(sandboxes);
      this.#containers.accept(containers);
      return { ...delta, absent };
    } catch (error) {
      const detail = messageOf(error);
      return { code: 'DATA_LOSS', detail: excerpt(`the answer to ${method} is not valid: ${detail}`) };
    }
  }
}
