import { apiUse, type AgentSettings } from '../../src/agent/settings.ts';
import { placementOf, podThreadNames, POD_WORKER_KIND } from '../../src/agent/tree.ts';
import { decideGates } from '../../src/config/feature-gates.ts';
import { appArmorOf } from '../../src/node/admission/apparmor-admission.ts';
import { goArchitecture } from '../../src/host/machine-facts.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { nodeByItself } from '../../src/node/admission/own-node.ts';
import { nodeInfoMetrics } from '../../src/node/object/node-info-metrics.ts';
import type { AdmissionRules } from '../../src/node/admission/pod-admission.ts';
import { hostPodFiles } from '../../src/host/pod-files.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import { PodManager } from './actor.ts';
import { serverReads } from './server/server-reads.ts';
import { allocationsIn } from './checkpoints/allocations.ts';
import { podManagerMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { PodManagerProtocol } from './protocol.ts';

/** The actor that keeps the desired pods and gives each a worker. */
export const kind = agentKind<PodManagerProtocol>({
  runsOn: 'node',
  standsOn: [CRI_GATEWAY, STATUS_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'all-pods': true,
    'pods-on-node': true,
    'pod-by-name': true,
    'pressures-observed': true,
    drain: true,
    'preemption-overdue': true,
    'evict-pod': true,
    'eviction-facts': true,
    'node-shutting-down': true,
    'node-surveyed': true,
    'pod-terminated': true,
    'node-addresses-observed': true,
    'node-observed': true,
    'node-read': true,
    'pod-read': true,
    'report-api-pods': true,
    'report-mirror-pods': true,
    'runtime-health-changed': true,
    'runtime-pod-appeared': true,
    'runtime-pod-vanished': true,
    'source-changed': true,
    survey: true,
    'remove-all-pods': true,
    'thread-started': true,
    'resend-due': true,
    'worker-restarted': true,
    'sequence-reported': true,
  },
  make({ settings, node, tree, metrics: families }) {
    // Once for the whole agent: the pod manager's thread is always there.
    nodeInfoMetrics(families, { nodeName: settings.nodeName, cgroupVersion: node.cgroupVersion });
    const placement = placementOf(tree);
    const deps = {
      sources: podSources(settings),
      rules: admissionRules(settings),
      allocations: allocationsIn(settings.rootDir, hostPodFiles),
      podThreads: podThreadNames(tree),
      threadOf: (uid: string) => placement(`${POD_WORKER_KIND}/${uid}`),
      workerRule: tree.podWorker,
      metrics: podManagerMetrics(families),
      node: nodeByItself({
        node,
        config: settings.config,
        platform: { operatingSystem: 'linux', architecture: goArchitecture(hostReader) },
        labels: settings.nodeOptions?.labels ?? {},
      }),
    };
    return (context) =>
      new PodManager(context, {
        ...deps,
        recordEvent: eventsOf(context, settings),
        ...(apiUse(settings) === 'api' && {
          server: serverReads(apiGatewayClient(context, API_CALL_MS), settings.nodeName),
        }),
      });
  },
});

const podSources = (settings: AgentSettings): readonly PodSource[] => [
  'file',
  ...(settings.config.staticPodURL === '' ? [] : (['http'] as const)),
  ...(apiUse(settings) === 'api' ? (['api'] as const) : []),
];

/** The admission rules that stay the same while the agent runs. */
const admissionRules = ({ config }: AgentSettings): AdmissionRules => ({
  allowedSysctls: config.allowedUnsafeSysctls,
  appArmor: appArmorOf(hostReader),
  isOn: decideGates(config.featureGates),
  swap: config.memorySwap.swapBehavior === 'LimitedSwap' ? 'limited' : 'none',
});
