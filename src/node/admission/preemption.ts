import type { PodUid } from '../../kube/ids.ts';
import type { Pod, QosClass } from '../../kube/pod.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';
import { qosClass } from '../../pod/values/qos.ts';
import { roundedUp, unitOf, type Shortage } from './admission.ts';
import type { AdmittedPod } from './admitted-pods.ts';

/** The still lacking amounts, by resource. A resource that suffices is absent. */
type MissingAmounts = ReadonlyMap<string, number>;

/** A pod that may be ended, with the lacking resources that its end would free. */
interface Candidate {
  readonly uid: PodUid;
  readonly gives: ReadonlyMap<string, number>;
  readonly memory: bigint;
  readonly cpu: bigint;
}

export type Preemption =
  | { readonly type: 'victims'; readonly uids: readonly PodUid[]; readonly lacking: string }
  /** Even the end of all candidates would not free enough. In the words of the event. */
  | { readonly type: 'impossible'; readonly why: string };

/** `true` if the first pod may displace the second (concept: guaranteed scheduling for critical add-on pods). */
export const mayPreempt = (one: Pod, other: Pod): boolean => {
  if (isCriticalPod(one) && !isCriticalPod(other)) return true;
  const [mine, its] = [one.spec.priority, other.spec.priority];
  return mine !== undefined && its !== undefined && mine > its;
};

/**
 * Chooses the pods to end for a critical pod: as few as possible, and of the lowest QoS classes. A guaranteed pod is
 * only chosen if the end of all other candidates would not suffice. The same then holds for burstable pods, and the
 * rest are best-effort ones.
 */
export function choosePreempted(pod: Pod, short: readonly Shortage[], admitted: readonly AdmittedPod[]): Preemption {
  const lacking: MissingAmounts = new Map(short.map(({ resource, missing }) => [resource, Number(missing)]));
  const classes: Readonly<Record<QosClass, Candidate[]>> = { Guaranteed: [], Burstable: [], BestEffort: [] };
  for (const other of admitted) {
    if (mayPreempt(pod, other.pod)) classes[qosClass(other.pod)].push(candidate(other, lacking));
  }
  const { Guaranteed: guaranteed, Burstable: burstable, BestEffort: bestEffort } = classes;
  const beyond = without(lacking, [...bestEffort, ...burstable, ...guaranteed]);
  if (beyond.size > 0) return { type: 'impossible', why: hopeless(beyond) };
  const first = nearest(guaranteed, without(lacking, [...bestEffort, ...burstable]));
  const second = nearest(burstable, without(lacking, [...bestEffort, ...first]));
  const third = nearest(bestEffort, without(lacking, [...second, ...first]));
  return { type: 'victims', uids: [...third, ...second, ...first].map(({ uid }) => uid), lacking: inWords(lacking) };
}

function candidate({ uid, requests }: AdmittedPod, lacking: MissingAmounts): Candidate {
  const amountOf = (name: string): bigint => (name === 'pods' ? 1n : roundedUp(requests.get(name) ?? 0n, unitOf(name)));
  return {
    uid,
    gives: new Map([...lacking.keys()].map((name) => [name, Number(amountOf(name))])),
    memory: amountOf('memory'),
    cpu: amountOf('cpu'),
  };
}

/**
 * Returns candidates one by one, each time the candidate whose freed amounts come nearest to the amounts still missing.
 * Candidates at the same distance are ordered by size, smallest first.
 */
function nearest(candidates: readonly Candidate[], lacking: MissingAmounts): readonly Candidate[] {
  const chosen: Candidate[] = [];
  const left = new Set(candidates);
  for (let still = lacking; still.size > 0;) {
    let best: { readonly candidate: Candidate; readonly distance: number } | undefined;
    for (const each of left) {
      const distance = distanceOf(each, still);
      const isNearer =
        best === undefined ||
        distance < best.distance ||
        (distance === best.distance && isSmaller(each, best.candidate));
      if (isNearer) best = { candidate: each, distance };
    }
    // The caller has made sure that all candidates together suffice.
    if (best === undefined) break;
    left.delete(best.candidate);
    chosen.push(best.candidate);
    still = without(still, [best.candidate]);
  }
  return chosen;
}

/** Every resource has the same weight, however large its numbers are. */
const distanceOf = ({ gives }: Candidate, lacking: MissingAmounts): number =>
  [...lacking].reduce((sum, [name, amount]) => sum + (Math.max(0, amount - (gives.get(name) ?? 0)) / amount) ** 2, 0);

const isSmaller = (one: Candidate, other: Candidate): boolean =>
  one.memory === other.memory ? one.cpu <= other.cpu : one.memory < other.memory;

function without(lacking: MissingAmounts, candidates: readonly Candidate[]): MissingAmounts {
  const still = new Map<string, number>();
  for (const [name, amount] of lacking) {
    const left = candidates.reduce((rest, { gives }) => rest - (gives.get(name) ?? 0), amount);
    if (left > 0) still.set(name, left);
  }
  return still;
}

const hopeless = (lacking: MissingAmounts): string =>
  `preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: ${inWords(lacking)}`;

const inWords = (lacking: MissingAmounts): string =>
  `[${[...lacking].map(([name, amount]) => `(res: ${name}, q: ${amount}), `).join('')}]`;
