import { nodeEventObject } from '../../src/kube/event.ts';
import { nodeCgroupPath } from '../../src/node/resources/cgroup-path.ts';
import { openKernelLog } from '../../src/host/kernel-log.ts';
import { readOomCounts } from '../../src/host/oom-counts.ts';
import { eventRecorderClient } from '../event-recorder/client.ts';
import { OomWatcher } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { OomWatcherProtocol } from './protocol.ts';

/**
 * Records events for processes killed by the kernel for lack of memory. Exists only where there is an API to record
 * events in.
 */
export const kind = agentKind<OomWatcherProtocol>({
  runsOn: 'volumes',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: { 'read-due': true },
  make({ settings: { nodeName }, node }) {
    const podsCgroup = nodeCgroupPath(node);
    return (context) => {
      const record = eventRecorderClient(context);
      return new OomWatcher(context, {
        openKernelLog,
        readCounts: () => readOomCounts(podsCgroup),
        podsCgroup,
        nodeEvent: (event) => record({ object: nodeEventObject(nodeName), type: 'Warning', ...event }),
      });
    };
  },
});
