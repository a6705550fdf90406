import { own } from '../../kube/text/own.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import type { Container, EnvVarSource, Pod, Quantity } from '../../kube/pod.ts';
import { quantityMilli, quantityValue } from '../../kube/quantity.ts';

type ResourceFieldRef = NonNullable<EnvVarSource['resourceFieldRef']>;

export type FieldValue =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/** Resources whose missing limit is replaced by the pod's limit, or else by the node's allocatable amount. */
const BOUNDED = new Set(['cpu', 'memory', 'ephemeral-storage']);

export interface ResourceFieldInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly node: NodeFacts;
  /** `true` if the value is shown in a file; otherwise in the environment. */
  readonly inVolume?: boolean;
}

/**
 * Returns the value of a `resourceFieldRef`: a container's limit or request in units of the divisor, rounded up. A
 * missing limit is replaced by the pod's, and a missing pod limit by the node's allocatable amount.
 */
export function resourceField(
  { pod, container, node, inVolume = false }: ResourceFieldInput,
  ref: ResourceFieldRef,
): FieldValue {
  const owner = ref.containerName ? findContainer(pod, ref.containerName) : container;
  if (owner === undefined) return { ok: false, message: `container ${ref.containerName} not found` };
  const dot = ref.resource.indexOf('.');
  const kind = ref.resource.slice(0, dot);
  const name = ref.resource.slice(dot + 1);
  if (kind !== 'limits' && kind !== 'requests') {
    return { ok: false, message: `Unsupported container resource : ${ref.resource}` };
  }
  let amount: Quantity | undefined = own(owner.resources?.[kind], name);
  // In an environment, of the containers referred to by name, only regular containers get that bound. An init
  // container's missing limit is 0.
  const isBounded = inVolume || !ref.containerName || pod.spec.containers.includes(owner);
  if (isBounded && kind === 'limits' && BOUNDED.has(name) && quantityValue(amount) === 0n) {
    amount = own(pod.spec.resources?.limits, name) ?? own(node.allocatable, name);
  }
  const inUnits = name === 'cpu' ? quantityMilli : quantityValue;
  const value = inUnits(amount);
  const divisor = inUnits(ref.divisor) || inUnits('1');
  return { ok: true, value: String((value + divisor - 1n) / divisor) };
}

const findContainer = (pod: Pod, name: string): Container | undefined =>
  pod.spec.containers.find((container) => container.name === name) ??
  pod.spec.initContainers?.find((container) => container.name === name);
