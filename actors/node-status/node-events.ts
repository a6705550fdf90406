import type { Node } from '../../src/kube/node.ts';
import { transitionReasons } from '../../src/node/node-conditions.ts';
import type { NodeCall } from './state.ts';

/** An event about the node, as the node itself tells it. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What the end of a call has made of the node that is worth an event: another status of a condition, a cordon. */
export function eventsOfStatus(
  call: NodeCall,
  { before, answer }: { readonly before: Node | undefined; readonly answer: Node },
): readonly NodeEvent[] {
  const { name } = answer.metadata;
  const event = (reason: string): NodeEvent => ({
    type: 'Normal',
    reason,
    message: `Node ${name} status is now: ${reason}`,
  });
  switch (call.type) {
    case 'create':
    case 'patch-status': {
      const after = answer.status?.conditions ?? [];
      const verdicts = after.map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message }));
      const reasons = transitionReasons(call.type === 'create' ? [] : (before?.status?.conditions ?? []), verdicts);
      // A node that has just been made was not ready before either.
      return reasons
        .filter(({ reason }) => call.type !== 'create' || reason !== 'NodeNotReady')
        .map(({ reason }) => event(reason));
    }
    case 'get': {
      const was = before?.spec?.unschedulable === true;
      const is = answer.spec?.unschedulable === true;
      if (before === undefined || was === is) return [];
      return [event(is ? 'NodeNotSchedulable' : 'NodeSchedulable')];
    }
    case 'patch-node':
      return [];
    default:
      return call satisfies never;
  }
}
