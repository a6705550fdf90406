import { own } from '../../kube/text/own.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import type { Container, EnvVarSource, Pod, Quantity } from '../../kube/pod.ts';
import { quantityMilli, quantityValue } from '../../kube/quantity.ts';

type ResourceFieldRef = NonNullable<EnvVarSource['resourceFieldRef']>;

export type FieldValue =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/** The resources whose missing limit is what the pod, or else the node, has to give. */
const BOUNDED = new Set(['cpu', 'memory', 'ephemeral-storage']);

export interface ResourceFieldInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly node: NodeFacts;
  /** Shown in a file, not in an environment. */
  readonly inVolume?: boolean;
}

/**
 * What a `resourceFieldRef` shows: a limit or request of a container in units of the divisor, rounded up. Without a limit
 * the container is bound by that of the pod, and without that by what the node can allocate.
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
  // In an environment, of the containers that are named only regular ones have the bound: an init container's limit is 0.
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
