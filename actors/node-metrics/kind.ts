import { NodeMetrics } from './actor.ts';
import { threadDuties } from './thread-duties.ts';
import { agentKind } from '../../src/agent/kind.ts';
import type { NodeMetricsProtocol } from './protocol.ts';

/** The actor that lends out what only the main thread can do: it reaches every thread. */
export const kind = agentKind<NodeMetricsProtocol>({
  livesOn: 'main',
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
    if (threads === undefined) throw new Error('the node-metrics actor lives on the main thread');
    const deps = threadDuties(threads);
    return () => new NodeMetrics(deps);
  },
});
