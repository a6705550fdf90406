import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import { apiUse } from '../../src/agent/settings.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import { HealthMonitor } from './actor.ts';
import { FAILING_DUTIES, TROUBLES } from './metrics.ts';
import type { HealthMonitorProtocol } from './protocol.ts';

/** Shows which duties of the agent fail. */
export const kind = agentKind<HealthMonitorProtocol>({
  runsOn: 'node',
  standsOn: [],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'duty-failing': true,
    'duty-working': true,
    'failing-duties': true,
    'forget-due': true,
  },
  make({ settings, metrics }) {
    const troubles = metrics.counter(TROUBLES);
    const failing = metrics.gauge(FAILING_DUTIES);
    const isInCluster = apiUse(settings) === 'api';
    return (context) => {
      const nodeStatus = context.ref(NODE_STATUS);
      const monitor = new HealthMonitor(context, {
        troubles,
        changed({ source, duty }) {
          if (!isInCluster) return;
          const text = duty && `cannot ${duty.work}: ${duty.why}`;
          const severity = duty?.keepsNodeFromReady === true ? 'problem' : 'warning';
          nodeStatus.tell({ type: 'node-problem', source, severity, text });
        },
      });
      failing.readBy(() =>
        monitor.failing().map(({ actor, work, failingForMs }) => [[actor, work], failingForMs / 1_000] as const),
      );
      return monitor;
    };
  },
});
