import { apiThroughGateway } from '../actors/api-through-gateway.ts';
import { criThroughGateway } from '../actors/cri-through-gateway.ts';
import { eventsThroughRecorder } from '../actors/events-through-recorder.ts';
import type { NodeLeaseProtocol } from '../actors/node-lease/protocol.ts';
import type { NodeStatusProtocol } from '../actors/node-status/protocol.ts';
import type { NodeStatusSettings } from '../actors/node-status/state.ts';
import type { Registry } from 'prom-client';
import { actorKind, type ActorKind } from './actor/actor.ts';
import type { AgentSettings } from './agent.ts';
import { apiClient } from './api/api-client.ts';
import { criClient } from './cri/client.ts';
import { nodeEventObject } from './kube/event.ts';
import { kubeletVersion } from './node/kubelet-version.ts';

/** What only the flags say of the node's object. */
export interface NodeOptions {
  readonly ips: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly cloudProvider: string;
}

const NO_OPTIONS: NodeOptions = { ips: [], labels: {}, cloudProvider: '' };
const mailbox = { capacity: 1_000 };

/** The actor that keeps the node's object. */
export async function nodeStatusKind(settings: AgentSettings, registry: Registry): Promise<ActorKind> {
  const { reflectorMetrics } = await import('./api/reflector-metrics.ts');
  const count = reflectorMetrics(registry)('nodes');
  const { NodeStatusActor } = await import('../actors/node-status/actor.ts');
  const { nodeHost } = await import('./node/node-host.ts');
  const { nodeName, rootDir, config } = settings;
  const host = nodeHost(rootDir);
  return actorKind<NodeStatusProtocol>({
    mailbox,
    make: (context) => {
      const record = eventsThroughRecorder(context);
      return new NodeStatusActor(context, {
        call: apiThroughGateway(context, heartbeatTimeoutMs(settings)),
        count,
        cri: criClient(criThroughGateway(context, config.runtimeRequestTimeout)),
        host,
        settings: nodeStatusSettings(settings),
        listeners: ['pod-manager'],
        recordEvent: (event) => record({ object: nodeEventObject(nodeName), ...event }),
      });
    },
  });
}

/** The actor that keeps the node's lease. */
export async function nodeLeaseKind(settings: AgentSettings): Promise<ActorKind> {
  const { NodeLease } = await import('../actors/node-lease/actor.ts');
  const { nodeName, config } = settings;
  return actorKind<NodeLeaseProtocol>({
    mailbox,
    make: (context) =>
      new NodeLease(context, {
        api: apiClient(apiThroughGateway(context, heartbeatTimeoutMs(settings))),
        settings: { nodeName, durationSeconds: config.nodeLeaseDurationSeconds },
      }),
  });
}

/** A heartbeat that takes longer than it is good for is not worth waiting for. */
const heartbeatTimeoutMs = ({ config }: AgentSettings): number =>
  Math.min(config.nodeStatusUpdateFrequency, config.nodeLeaseDurationSeconds * 1000);

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
    status: { ...config, kubeletVersion, declaredFeatures: [] },
    registerNode: config.registerNode,
    updateFrequencyMs: config.nodeStatusUpdateFrequency,
    reportFrequencyMs: config.nodeStatusReportFrequency,
    maxImages: config.nodeStatusMaxImages,
  };
}
