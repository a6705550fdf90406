import { own } from '../../../kube/text/own.ts';
import { POD_UID_LABEL } from '../../../pod/values/pod-labels.ts';

type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly config: { readonly labels: Labels };
}

/**
 * Records by the pod UID in their labels. Kubelets ask for one pod's sandboxes and containers that way, once per pod and
 * more, and the answer must not take a look at every pod.
 */
export class UidIndex<Entry extends Labelled> {
  readonly #byUid = new Map<string, Set<Entry>>();

  add(entry: Entry): void {
    const uid = entry.config.labels[POD_UID_LABEL];
    if (uid === undefined) return;
    const siblings = this.#byUid.get(uid);
    if (siblings) siblings.add(entry);
    else this.#byUid.set(uid, new Set([entry]));
  }

  drop(entry: Entry): void {
    const uid = entry.config.labels[POD_UID_LABEL];
    if (uid === undefined) return;
    const siblings = this.#byUid.get(uid);
    siblings?.delete(entry);
    if (siblings?.size === 0) this.#byUid.delete(uid);
  }

  /** The entries with the UID that this selector asks for; undefined if it asks for none. */
  selected(selector: Labels): Iterable<Entry> | undefined {
    const uid = selector[POD_UID_LABEL];
    return uid === undefined ? undefined : (this.#byUid.get(uid) ?? []);
  }
}

export function hasLabels(labels: Labels, selector: Labels): boolean {
  for (const key in selector) if (own(labels, key) !== own(selector, key)) return false;
  return true;
}
