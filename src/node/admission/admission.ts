import { own } from '../../kube/text/own.ts';
import type { Pod, ResourceList } from '../../kube/pod.ts';
import { quantityNano } from '../../kube/quantity.ts';
import { isCriticalPod, isStaticPod } from '../../kube/manifest/static-pod.ts';
import { podRequests, type AdmittedPods } from './admitted-pods.ts';
import { matchesNode, type NodeLabels } from './node-affinity.ts';
import { isTolerated, type Taint } from './taints.ts';

/** The facts of a node that decide whether it admits a pod. */
export interface AdmissionNode extends NodeLabels {
  readonly os: string;
  /** The node's allocatable resources. The node does not count a resource that is absent. */
  readonly allocatable: ResourceList;
  readonly taints: readonly Taint[];
  /** `true` if the runtime supports `supplementalGroupsPolicy: Strict`. */
  readonly strictSupplementalGroups: boolean;
}

/** The reason and message of a rejected pod, for the event and for the pod's status. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Returns the status message of a rejected pod. */
export const rejectionStatusMessage = ({ message }: Rejection): string => `Pod was rejected: ${message}`;

/** How much of a resource the node lacks for a pod: CPU in thousandths, all other resources in whole units. */
export interface Shortage {
  readonly resource: string;
  readonly missing: bigint;
}

/**
 * Why a pod does not fit on a node beside its present pods. `short` lists the lacking resources if nothing else speaks
 * against a pod that may displace others.
 */
export interface Misfit {
  readonly rejection: Rejection;
  readonly short?: readonly Shortage[];
}

/**
 * Returns why the node rejects a pod beside its present pods (concept: the kubelet's admission); `undefined` when the
 * pod is admitted. The order of the checks matters: users see the first failed one. For a critical pod, checks come
 * first that no other pod's end could satisfy.
 */
export function fit(pod: Pod, node: AdmissionNode, admitted: AdmittedPods): Misfit | undefined {
  const never = osProblem(pod, node) ?? groupsProblem(pod, node);
  if (never !== undefined) return { rejection: never };
  const shortages = shortagesOf(pod, node, admitted);
  const [first] = shortages;
  if (first === undefined) return asMisfit(misfit(pod, node, admitted));
  if (!isCriticalPod(pod)) return { rejection: first.rejection };
  return asMisfit(misfit(pod, node, admitted)) ?? { rejection: first.rejection, short: shortages };
}

const asMisfit = (rejection: Rejection | undefined): Misfit | undefined => rejection && { rejection };

/** Like `fit`, for callers that do not ask whether other pods could make room. */
export const admit = (pod: Pod, node: AdmissionNode, admitted: AdmittedPods): Rejection | undefined =>
  fit(pod, node, admitted)?.rejection;

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

/** Returns all that the node lacks, in the order in which it is reported. */
function shortagesOf(pod: Pod, { allocatable }: AdmissionNode, admitted: AdmittedPods): readonly ResourceShortage[] {
  const lacks: ResourceShortage[] = [];
  const places = allocatable['pods'];
  if (places !== undefined) {
    const [used, capacity] = [BigInt(admitted.size), quantityNano(places) / NANO];
    if (used + 1n > capacity) lacks.push(outOf('pods', { requested: 1n, used, capacity }));
  }
  const requests = podRequests(pod);
  const others = [...requests.keys()].filter((name) => !FIRST.includes(name)).sort();
  for (const name of [...FIRST, ...others]) {
    const requested = requests.get(name) ?? 0n;
    const amount = own(allocatable, name) ?? unlisted(name, allocatable);
    if (requested === 0n || amount === undefined) continue;
    const [used, capacity] = [admitted.requested(name), quantityNano(amount)];
    if (used + requested <= capacity) continue;
    const unit = unitOf(name);
    lacks.push(
      outOf(name, {
        requested: roundedUp(requested, unit),
        used: roundedUp(used, unit),
        capacity: capacity / unit,
      }),
    );
  }
  return lacks;
}

/**
 * Returns the amount of a resource that the node does not list: zero for a huge page size. `undefined` for all others,
 * which are handed out elsewhere: by a later device plugin, by another kind of claim.
 */
const unlisted = (name: string, allocatable: ResourceList): string | undefined =>
  name.startsWith('hugepages-') && Object.keys(allocatable).length > 0 ? '0' : undefined;

/**
 * Returns why the node could not hold the pod's CPU or memory even without any other pod; `undefined` when it could.
 */
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
/** Converts an amount to whole units, rounded up. */
export const roundedUp = (amount: bigint, unit: bigint): bigint => (amount + unit - 1n) / unit;

/** The unit in which amounts of a resource are reported, as parts of 10⁻⁹. */
export const unitOf = (name: string): bigint => (name === 'cpu' ? MILLI : NANO);

interface ResourceShortage extends Shortage {
  readonly rejection: Rejection;
}

const outOf = (
  resource: string,
  { requested, used, capacity }: { readonly requested: bigint; readonly used: bigint; readonly capacity: bigint },
): ResourceShortage => ({
  resource,
  missing: requested - (capacity - used),
  rejection: {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  },
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
  // The node's own taints do not apply to static pods.
  const tainted = node.taints.some(
    (taint) => taint.effect === 'NoExecute' && !isTolerated(taint, spec.tolerations ?? []),
  );
  return tainted && !isStaticPod(pod)
    ? failed('TaintToleration', "node(s) had taints that the pod didn't tolerate")
    : undefined;
}

/**
 * Returns `true` for a rejection that another Node object would lift: other labels, other taints, more of a resource
 * that a device plugin announces. This agent itself reports what it has of the first resources.
 */
export const restsOnNodeObject = ({ reason }: Rejection): boolean =>
  ON_NODE_OBJECT.has(reason) || (reason.startsWith(OUT_OF) && !OWN.includes(reason.slice(OUT_OF.length)));

const OUT_OF = 'OutOf';
const OWN: readonly string[] = [...FIRST, 'pods'];
const ON_NODE_OBJECT: ReadonlySet<string> = new Set([
  'NodeAffinity',
  'PodOSSelectorNodeLabelDoesNotMatch',
  'TaintToleration',
]);

const failed = (predicate: string, why: string): Rejection => ({
  reason: predicate,
  message: `Predicate ${predicate} failed: ${why}`,
});
