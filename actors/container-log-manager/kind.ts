import { quantityValue } from '../../src/kube/quantity.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { ContainerLogManager } from './actor.ts';
import { hostLogDisk } from './log-disk.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ContainerLogManagerProtocol } from './protocol.ts';

/** Rotates the logs of running containers. */
export const kind = agentKind<ContainerLogManagerProtocol>({
  runsOn: 'volumes',
  standsOn: [CRI_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: { 'log-handled': true, 'check-due': true, 'logs-checked': true },
  make:
    ({ settings: { config }, node }) =>
    (context) =>
      new ContainerLogManager(context, {
        cri: criGatewayClient(context, config.runtimeRequestTimeout),
        disk: hostLogDisk(context.incarnation),
        podLogsDir: node.podLogsDir,
        maxSizeBytes: Number(quantityValue(config.containerLogMaxSize)),
        maxFiles: config.containerLogMaxFiles,
        atOnce: config.containerLogMaxWorkers,
        checkEveryMs: config.containerLogMonitorInterval,
      }),
});
