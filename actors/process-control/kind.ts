import { ProcessControl } from './actor.ts';
import { threadDuties } from './thread-duties.ts';
import { agentKind } from '../../src/agent/kind.ts';
import type { ProcessControlProtocol } from './protocol.ts';

/** Offers other actors what only the main thread can do, since it reaches every thread. */
export const kind = agentKind<ProcessControlProtocol>({
  runsOn: 'main',
  standsOn: [],
  mailbox: 100,
  messageTypes: {
    'cpu-profile': true,
    'heap-snapshot': true,
    'metrics-text': true,
    'set-verbosity': true,
    'thread-names': true,
  },
  make({ threads }) {
    if (threads === undefined) throw new Error('the process-control actor lives on the main thread');
    const deps = threadDuties(threads);
    return () => new ProcessControl(deps);
  },
});
