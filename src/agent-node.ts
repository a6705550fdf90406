import { release, uptime } from 'node:os';
import { systemClock } from './actor/clock.ts';
import { decideGates } from './config/feature-gates.ts';
import { declaredFeatures } from './node/feature-admission.ts';
import { apiThroughGateway } from '../actors/api-through-gateway.ts';
import { criThroughGateway } from '../actors/cri-through-gateway.ts';
import { eventsThroughRecorder } from '../actors/events-through-recorder.ts';
import type { NodeLeaseProtocol } from '../actors/node-lease/protocol.ts';
import type { NodeShutdownProtocol } from '../actors/node-shutdown/protocol.ts';
import { NODE_STATUS, type NodeStatusProtocol } from '../actors/node-status/protocol.ts';
import { POD_MANAGER, type PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import type { NodeStatusSettings } from '../actors/node-status/state.ts';
import type { Registry } from './kube/prometheus.ts';
import { actorKind, type ActorKind } from './actor/actor.ts';
import type { MetricFamilies } from './actor/metric-families.ts';
import type { ThreadConfig } from './actor-kinds-config.ts';
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
export async function nodeStatusKind(
  { settings, node }: ThreadConfig,
  { registry, families }: { readonly registry: Registry; readonly families: MetricFamilies },
): Promise<ActorKind> {
  const { reflectorMetrics } = await import('./api/reflector-metrics.ts');
  const count = reflectorMetrics(registry)('nodes');
  const { NodeStatusActor } = await import('../actors/node-status/actor.ts');
  const { startupMetrics } = await import('../actors/node-status/metrics.ts');
  const now = systemClock.now();
  const startup = startupMetrics(families, {
    bootedAt: now - uptime() * 1_000,
    startedAt: now - process.uptime() * 1_000,
  });
  const { nodeHost } = await import('./node/node-host.ts');
  const { nodeName, rootDir, config } = settings;
  const host = nodeHost(rootDir);
  const { startWarnings } = await import('./node/start-warnings.ts');
  const warnings = startWarnings(node, { kernel: release(), resolvConfPath: config.resolvConf });
  return actorKind<NodeStatusProtocol>({
    mailbox,
    make: (context) => {
      const record = eventsThroughRecorder(context);
      return new NodeStatusActor(context, {
        call: apiThroughGateway(context, heartbeatTimeoutMs(settings)),
        count,
        cri: criClient(criThroughGateway(context, config.runtimeRequestTimeout)),
        host,
        startup,
        startWarnings: warnings,
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
  const { leaseCallTimeoutMs } = await import('../actors/node-lease/state.ts');
  const { nodeName, config } = settings;
  const timeoutMs = Math.min(heartbeatTimeoutMs(settings), leaseCallTimeoutMs(config.nodeLeaseDurationSeconds));
  return actorKind<NodeLeaseProtocol>({
    mailbox,
    make: (context) =>
      new NodeLease(context, {
        api: apiClient(apiThroughGateway(context, timeoutMs)),
        settings: { nodeName, durationSeconds: config.nodeLeaseDurationSeconds },
      }),
  });
}

/** The actor that ends pods before the machine goes down. */
export async function nodeShutdownKind(
  { nodeName, rootDir, config }: AgentSettings,
  families: MetricFamilies,
): Promise<ActorKind> {
  const { NodeShutdown } = await import('../actors/node-shutdown/actor.ts');
  const { endPodThrough } = await import('../actors/node-shutdown/end-pod.ts');
  const { shutdownPeriods } = await import('./node/shutdown-plan.ts');
  const { logind } = await import('./node/logind.ts');
  const { mkdirSync, writeFileSync } = await import('node:fs');
  const notices = logind({ env: process.env });
  const { shutdownMetrics } = await import('../actors/node-shutdown/metrics.ts');
  const metrics = shutdownMetrics(families);
  const held = { current: undefined };
  return actorKind<NodeShutdownProtocol>({
    mailbox,
    make: (context) => {
      const record = eventsThroughRecorder(context);
      const pods = context.ref<PodManagerProtocol>(POD_MANAGER);
      const status = context.ref<NodeStatusProtocol>(NODE_STATUS);
      return new NodeShutdown(context, {
        notices,
        held,
        periods: shutdownPeriods(config),
        listPods: () => pods.ask({ type: 'all-pods' }, { deadlineMs: 10_000 }),
        endPod: endPodThrough(context),
        announce(shuttingDown) {
          const text = shuttingDown ? 'node is shutting down' : undefined;
          status.tell({ type: 'node-problem', source: 'node-shutdown', severity: 'problem', text });
          pods.tell({ type: 'node-shutting-down', shuttingDown });
        },
        recordEvent: (message) =>
          record({ object: nodeEventObject(nodeName), type: 'Normal', reason: 'Shutdown', message }),
        keepTimes(times) {
          metrics.times(times);
          mkdirSync(rootDir, { recursive: true, mode: 0o750 });
          writeFileSync(`${rootDir}/graceful_node_shutdown_state`, JSON.stringify(times));
        },
      });
    },
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
    status: { ...config, kubeletVersion, declaredFeatures: declaredFeatures(decideGates(config.featureGates)) },
    registerNode: config.registerNode,
    updateFrequencyMs: config.nodeStatusUpdateFrequency,
    reportFrequencyMs: config.nodeStatusReportFrequency,
    maxImages: config.nodeStatusMaxImages,
  };
}
