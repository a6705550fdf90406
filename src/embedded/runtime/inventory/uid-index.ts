import { own } from '../../../kube/text/own.ts';
import { POD_UID_LABEL } from '../../../pod/values/pod-labels.ts';

type Labels = Readonly<Record<string, string>>;

interface Labelled {
  readonly config: { readonly labels: Labels };
}

/**
 * Records by the pod UID in their labels. Kubelets list one pod's sandboxes and containers this way, at least once
 * per pod. The answer must not scan every pod.
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

  /** Returns the entries with the selector's UID. `undefined` when the selector names none. */
  selected(selector: Labels): Iterable<Entry> | undefined {
    const uid = selector[POD_UID_LABEL];
    return uid === undefined ? undefined : (this.#byUid.get(uid) ?? []);
  }
}

export function hasLabels(labels: Labels, selector: Labels): boolean {
  for (const key in selector) if (own(labels, key) !== own(selector, key)) return false;
  return true;
}
