import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import { release, uptime } from 'node:os';
import { systemClock } from '../../src/actor/clock.ts';
import type { AgentSettings, NodeOptions } from '../../src/agent/settings.ts';
import { presentIn } from '../../src/agent/tree.ts';
import { reflectorMetrics } from '../../src/api/reflector/reflector-metrics.ts';
import { decideGates } from '../../src/config/feature-gates.ts';
import { criClient } from '../../src/cri/client.ts';
import { nodeEventObject } from '../../src/kube/event.ts';
import { declaredFeatures } from '../../src/node/admission/feature-admission.ts';
import { heartbeatTimeoutMs } from '../../src/node/object/heartbeat-timeout.ts';
import { kubeletVersion } from '../../src/node/object/kubelet-version.ts';
import { nodeHost } from './node-host.ts';
import { startWarnings } from './start-warnings.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { SERVER_CERTIFICATE } from '../certificate-manager/protocol.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventRecorderClient } from '../event-recorder/client.ts';
import { NodeStatusActor } from './actor.ts';
import { startupMetrics } from './metrics.ts';
import type { NodeStatusSettings } from './state.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import type { NodeAddressesObserved } from '../node-addresses/protocol.ts';
import type { NodeObserved, NodeStatusProtocol } from './protocol.ts';

const NO_OPTIONS: NodeOptions = { ips: [], labels: {}, cloudProvider: '' };

/** The actors that receive the node object when it changes. */
const nodeListeners: readonly AddressOf<Listener<NodeObserved>>[] = [POD_MANAGER];

/** The actors that receive the node's addresses when they change. */
const addressListeners: readonly AddressOf<Listener<NodeAddressesObserved>>[] = [POD_MANAGER, SERVER_CERTIFICATE];

/** Registers the node and keeps the status of its object up to date. */
export const kind = agentKind<NodeStatusProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY, CRI_GATEWAY],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'addresses-found': true,
    'api-health-changed': true,
    'call-ended': true,
    'known-node': true,
    'node-addresses': true,
    'node-inspected': true,
    'node-object': true,
    'node-problem': true,
    'node-object-observed': true,
    'pleg-health-read': true,
    'pressures-observed': true,
    'runtime-described': true,
    'runtime-health-changed': true,
    'status-due': true,
    'retry-due': true,
    'volumes-in-use-changed': true,
    'watch-ended': true,
    'watch-events': true,
  },
  async make({ settings, node, tree, metrics }) {
    const count = reflectorMetrics(metrics)('nodes');
    const now = systemClock.now();
    const startup = startupMetrics(metrics, {
      bootedAt: now - uptime() * 1_000,
      startedAt: now - process.uptime() * 1_000,
    });
    const { nodeName, rootDir, config } = settings;
    const host = nodeHost(rootDir);
    const warnings = startWarnings(node, { kernel: release(), resolvConfPath: config.resolvConf });
    return (context) => {
      const record = eventRecorderClient(context);
      return new NodeStatusActor(context, {
        call: apiGatewayClient(context, heartbeatTimeoutMs(config)),
        count,
        cri: criClient(criGatewayClient(context, config.runtimeRequestTimeout)),
        host,
        startup,
        startWarnings: warnings,
        settings: nodeStatusSettings(settings),
        listeners: presentIn(tree, nodeListeners),
        addressListeners: presentIn(tree, addressListeners),
        recordEvent: (event) => record({ object: nodeEventObject(nodeName), ...event }),
      });
    };
  },
});

function nodeStatusSettings({ nodeName, config, nodeOptions = NO_OPTIONS }: AgentSettings): NodeStatusSettings {
  return {
    registration: {
      nodeName,
      labels: nodeOptions.labels,
      taints: config.registerWithTaints,
      providerId: config.providerID,
      externalCloudProvider: nodeOptions.cloudProvider === 'external',
      controllerManagedAttach: config.enableControllerAttachDetach,
      nodeIps: nodeOptions.ips,
    },
    status: { ...config, kubeletVersion, declaredFeatures: declaredFeatures(decideGates(config.featureGates)) },
    registerNode: config.registerNode,
    updateFrequencyMs: config.nodeStatusUpdateFrequency,
    reportFrequencyMs: config.nodeStatusReportFrequency,
    maxImages: config.nodeStatusMaxImages,
  };
}
