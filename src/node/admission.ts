import type { Pod, ResourceList } from '../kube/pod.ts';
import { quantityNano } from '../kube/quantity.ts';
import { isStaticPod } from '../kube/static-pod.ts';
import { podRequests, type AdmittedPods } from './admitted-pods.ts';
import { matchesNode, type NodeLabels } from './node-affinity.ts';
import { isTolerated, type Taint } from './taints.ts';

/** What of a node decides whether it takes a pod. */
export interface AdmissionNode extends NodeLabels {
  readonly os: string;
  /** What pods may have of the node; a resource that is not in it is none that this node counts. */
  readonly allocatable: ResourceList;
  readonly taints: readonly Taint[];
  /** Whether the runtime can do `supplementalGroupsPolicy: Strict`. */
  readonly strictSupplementalGroups: boolean;
}

/** Why a pod may not be on this node: the reason and message of the event, and of the pod's status. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** The status message of a rejected pod. */
export const rejectionStatusMessage = ({ message }: Rejection): string => `Pod was rejected: ${message}`;

/**
 * Whether the node takes a pod, beside those it has (concept: the kubelet's admission). Undefined: it does. The order of
 * the questions is part of the answer: users see the first that is answered with no.
 */
export function admit(pod: Pod, node: AdmissionNode, admitted: AdmittedPods): Rejection | undefined {
  return (
    osProblem(pod, node) ?? groupsProblem(pod, node) ?? shortage(pod, node, admitted) ?? misfit(pod, node, admitted)
  );
}

function osProblem({ metadata, spec }: Pod, { os, labels }: AdmissionNode): Rejection | undefined {
  const asked = metadata.labels?.['kubernetes.io/os'];
  if (asked !== undefined && asked !== labels['kubernetes.io/os']) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (spec.os?.name === undefined || spec.os.name === os) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

function groupsProblem({ spec }: Pod, { strictSupplementalGroups }: AdmissionNode): Rejection | undefined {
  if (spec.securityContext?.supplementalGroupsPolicy !== 'Strict' || strictSupplementalGroups) return undefined;
  return {
    reason: 'SupplementalGroupsPolicyNotSupported',
    message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
  };
}

const FIRST: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

function shortage(pod: Pod, { allocatable }: AdmissionNode, admitted: AdmittedPods): Rejection | undefined {
  const places = allocatable['pods'];
  if (places !== undefined) {
    const [used, capacity] = [BigInt(admitted.size), quantityNano(places) / NANO];
    if (used + 1n > capacity) return outOf('pods', { requested: 1n, used, capacity });
  }
  const requests = podRequests(pod);
  const others = [...requests.keys()].filter((name) => !FIRST.includes(name)).sort();
  for (const name of [...FIRST, ...others]) {
    const requested = requests.get(name) ?? 0n;
    const amount = allocatable[name];
    // What the node does not know of, nobody hands out here: a device plugin that is to come, a claim of another kind.
    if (requested === 0n || amount === undefined) continue;
    const [used, capacity] = [admitted.requested(name), quantityNano(amount)];
    if (used + requested <= capacity) continue;
    const unit = name === 'cpu' ? MILLI : NANO;
    return outOf(name, {
      requested: roundedUp(requested, unit),
      used: roundedUp(used, unit),
      capacity: capacity / unit,
    });
  }
  return undefined;
}

/** Why the node could not hold the pod's processors or memory even if it had no other pod. */
export function beyondNode(pod: Pod, { allocatable }: AdmissionNode): string | undefined {
  const requests = podRequests(pod);
  for (const [name, unit] of [
    ['memory', NANO],
    ['cpu', MILLI],
  ] as const) {
    const [requested, amount] = [requests.get(name) ?? 0n, allocatable[name]];
    if (amount === undefined || requested <= quantityNano(amount)) continue;
    const [asked, capacity] = [roundedUp(requested, unit), quantityNano(amount) / unit];
    return `Node didn't have enough capacity: ${name}, requested: ${asked}, capacity: ${capacity}`;
  }
  return undefined;
}

const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const roundedUp = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit;

const outOf = (
  name: string,
  { requested, used, capacity }: { readonly requested: bigint; readonly used: bigint; readonly capacity: bigint },
): Rejection => ({
  reason: `OutOf${name}`,
  message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
});

function misfit(pod: Pod, node: AdmissionNode, admitted: AdmittedPods): Rejection | undefined {
  const { spec } = pod;
  if (!matchesNode(spec, node)) return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (spec.nodeName !== undefined && spec.nodeName !== '' && spec.nodeName !== node.name) {
    return failed('NodeName', "node(s) didn't match the requested node name");
  }
  if (!admitted.ports.areFree(spec)) {
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  }
  // What a file on the node asks for, the node's own taints do not keep away.
  const tainted = node.taints.some(
    (taint) => taint.effect === 'NoExecute' && !isTolerated(taint, spec.tolerations ?? []),
  );
  return tainted && !isStaticPod(pod) ? failed('TaintToleration', 'node(s) had untolerated taints') : undefined;
}

const failed = (predicate: string, why: string): Rejection => ({
  reason: predicate,
  message: `Predicate ${predicate} failed: ${why}`,
});
