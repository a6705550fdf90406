import type { CriFault } from '../../src/cri/fault.ts';
import { RawList } from '../../src/cri/raw-list.ts';
import { excerpt } from '../../src/kube/text/excerpt.ts';
import { listedContainer, listedSandbox } from './look.ts';
import type { ListedContainer, ListedSandbox } from './state.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/** Both lists of one relist, as the runtime encoded them. */
export interface RawLists {
  readonly sandboxes: Uint8Array;
  readonly containers: Uint8Array;
}

/** What a relist tells of the things that have to be compared: those it says something new of, and those in doubt. */
export interface ListDelta {
  /** Monotonic instant before the lists were asked for. */
  readonly at: number;
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
  /** IDs that neither list holds. */
  readonly absent: readonly string[];
}

/** `PodSandbox.state` and `Container.state`. */
const SANDBOX_STATE_FIELD = 3;
const CONTAINER_STATE_FIELD = 6;

/** The lists of the relist before, and what a new relist adds to them. */
export class PodLists {
  readonly #sandboxes = new RawList(SANDBOX_STATE_FIELD);
  readonly #containers = new RawList(CONTAINER_STATE_FIELD);

  /** Takes both lists in, or neither: one that cannot be read is a failed relist, and the next compares with the same. */
  delta(lists: RawLists & { readonly at: number }, inDoubt: ReadonlySet<string>): ListDelta | CriFault {
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
      const delta = { at: lists.at, sandboxes: [] as ListedSandbox[], containers: [] as ListedContainer[] };
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
