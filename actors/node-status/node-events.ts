import type { Node } from '../../src/kube/node.ts';
import { transitionReasons } from '../../src/node/object/node-conditions.ts';
import type { NodeCall } from './state.ts';

/** An event about the node, recorded by the node itself. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Events for condition changes that a finished call has brought. */
export function eventsOfStatus(
  call: NodeCall,
  { before, answer }: { readonly before: Node | undefined; readonly answer: Node },
): readonly NodeEvent[] {
  switch (call.type) {
    case 'create':
    case 'patch-status': {
      const after = answer.status?.conditions ?? [];
      const verdicts = after.map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message }));
      const reasons = transitionReasons(call.type === 'create' ? [] : (before?.status?.conditions ?? []), verdicts);
      // A new node was not ready before either, so `NodeNotReady` is no change.
      return reasons
        .filter(({ reason }) => call.type !== 'create' || reason !== 'NodeNotReady')
        .map(({ reason }) => statusEvent(answer, reason));
    }
    case 'get':
    case 'patch-node':
      return [];
    default:
      return call satisfies never;
  }
}

/** Event for a node that was cordoned or uncordoned. */
export function cordonEvents(before: Node | undefined, node: Node): readonly NodeEvent[] {
  const was = before?.spec?.unschedulable === true;
  const is = node.spec?.unschedulable === true;
  if (before === undefined || was === is) return [];
  return [statusEvent(node, is ? 'NodeNotSchedulable' : 'NodeSchedulable')];
}

const statusEvent = ({ metadata }: Node, reason: string): NodeEvent => ({
  type: 'Normal',
  reason,
  message: `Node ${metadata.name} status is now: ${reason}`,
});
