import { writeFileSync } from 'node:fs';
import { nodeEventObject } from '../../src/kube/event.ts';
import { ROOT_DIR_MODE } from '../../src/host/data-directories.ts';
import { makeDirectories } from '../../src/host/exact-modes.ts';
import { logind } from '../../src/host/logind.ts';
import { shutdownPeriods } from '../../src/node/shutdown/shutdown-plan.ts';
import { eventRecorderClient } from '../event-recorder/client.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { NodeShutdown } from './actor.ts';
import { podManagerEndPod } from './end-pod.ts';
import { shutdownMetrics } from './metrics.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import type { NodeShutdownProtocol } from './protocol.ts';

/** Ends pods in order of priority before the machine shuts down. */
export const kind = agentKind<NodeShutdownProtocol>({
  runsOn: 'node',
  standsOn: [NODE_STATUS],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'acquire-lock': true,
    'lock-acquired': true,
    'group-due': true,
    'lock-failed': true,
    'shutdown-watch-lost': true,
    'pod-ended': true,
    'pods-listed': true,
    'shutdown-announced': true,
    'shutdown-state': true,
  },
  make({ settings: { nodeName, rootDir, config }, metrics: families }) {
    const notices = logind({ env: process.env });
    const metrics = shutdownMetrics(families);
    const held = { current: undefined };
    return (context) => {
      const record = eventRecorderClient(context);
      const pods = context.ref(POD_MANAGER);
      const status = context.ref(NODE_STATUS);
      return new NodeShutdown(context, {
        notices,
        held,
        periods: shutdownPeriods(config),
        listPods: () => pods.ask({ type: 'all-pods' }, { deadlineMs: 10_000 }),
        endPod: podManagerEndPod(context),
        announce(shuttingDown) {
          const text = shuttingDown ? 'node is shutting down' : undefined;
          status.tell({ type: 'node-problem', source: 'node-shutdown', severity: 'problem', text });
          pods.tell({ type: 'node-shutting-down', shuttingDown });
        },
        recordEvent: (message) =>
          record({ object: nodeEventObject(nodeName), type: 'Normal', reason: 'Shutdown', message }),
        keepTimes(times) {
          metrics.times(times);
          makeDirectories(rootDir, ROOT_DIR_MODE);
          writeFileSync(`${rootDir}/graceful_node_shutdown_state`, JSON.stringify(times));
        },
      });
    };
  },
});
