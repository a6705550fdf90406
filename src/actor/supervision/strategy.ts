import { assertMessage } from '../messages/assert-message.ts';
import type { Strategy } from './child.ts';

/** The children that start anew, in order of start, when one of them has crashed. Empty when it is no child (any more). */
export function affectedBy<Child>(strategy: Strategy, children: readonly Child[], crashed: Child): readonly Child[] {
  const index = children.indexOf(crashed);
  if (index < 0) return [];
  switch (strategy) {
    case 'one-for-one':
      return [crashed];
    case 'one-for-all':
      return children;
    case 'rest-for-one':
      return children.slice(index);
    default:
      return assertMessage(strategy);
  }
}
