import { assertMessage } from '../messages/assert-message.ts';
import type { Strategy } from './child.ts';

/**
 * Returns the children that restart when one of them has crashed, in order of start. Empty when the crashed actor is
 * not a child (any more).
 */
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
