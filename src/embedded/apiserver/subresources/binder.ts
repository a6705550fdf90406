import type { CoreOperations } from '../store/core-contract.ts';
import type { KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf } from '../store/api-object.ts';
import { asPod } from '../kinds/pod-kind.ts';
import { assignPod } from './pod-subresources.ts';

/**
 * Binds pods without a node to the first ready node. It compares no resources: the node itself rejects a pod that
 * does not fit. Pods of another scheduler, and gated pods, are left alone.
 */
export function bindToANode(core: CoreOperations, context: KindContext, pod: ApiObject): void {
  if (!mayBind(pod)) return;
  for (const node of core.store.collection('nodes').inOrderOfCreation()) {
    if (isReady(node)) return assign(core, context, { pod, node });
  }
}

/** Gives a node that has become ready what waits for one. Costs nothing where nothing waits. */
export function bindPodsTo(core: CoreOperations, context: KindContext, node: ApiObject): void {
  if (!isReady(node)) return;
  const waiting = [...core.store.collection('pods').inOrderOfCreation()].filter(mayBind);
  for (const pod of waiting) assign(core, context, { pod, node });
}

function assign(
  core: CoreOperations,
  context: KindContext,
  { pod, node }: { readonly pod: ApiObject; readonly node: ApiObject },
): void {
  const { namespace = '', name } = pod.metadata;
  assignPod(core, context, { namespace, name, nodeName: node.metadata.name });
}

function mayBind(object: ApiObject): boolean {
  const { spec, metadata } = asPod(object);
  // The shape has this member; the type of a pod, which a node reads, does not.
  const gates = (spec as { readonly schedulingGates?: readonly unknown[] }).schedulingGates ?? [];
  return (
    !spec.nodeName &&
    metadata.deletionTimestamp === undefined &&
    gates.length === 0 &&
    spec.schedulerName === 'default-scheduler'
  );
}

function isReady(node: ApiObject): boolean {
  if (membersOf(node, 'spec')['unschedulable'] === true || node.metadata.deletionTimestamp !== undefined) return false;
  // Members of a status are unknown; checked below.
  const { conditions } = membersOf(node, 'status') as { readonly conditions?: unknown };
  return (
    Array.isArray(conditions) &&
    conditions.some((each) => isMembers(each) && each['type'] === 'Ready' && each['status'] === 'True')
  );
}
