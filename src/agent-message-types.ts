import type { ApiGatewayProtocol } from '../actors/api-gateway/protocol.ts';
import type { ClientCertificateProtocol } from '../actors/client-certificate/protocol.ts';
import type { ContainerManagerProtocol } from '../actors/container-manager/protocol.ts';
import type { CriGatewayProtocol } from '../actors/cri-gateway/protocol.ts';
import type { EventRecorderProtocol } from '../actors/event-recorder/protocol.ts';
import type { EvictionManagerProtocol } from '../actors/eviction-manager/protocol.ts';
import type { KubeletServerProtocol } from '../actors/kubelet-server/protocol.ts';
import type { NodeMetricsProtocol } from '../actors/node-metrics/protocol.ts';
import type { JobPoolProtocol } from '../actors/job-pool/protocol.ts';
import type { MirrorPodsProtocol } from '../actors/mirror-pods/protocol.ts';
import type { ObjectCacheProtocol } from '../actors/object-cache/protocol.ts';
import type { NodeLeaseProtocol } from '../actors/node-lease/protocol.ts';
import type { NodeShutdownProtocol } from '../actors/node-shutdown/protocol.ts';
import type { NodeStatusProtocol } from '../actors/node-status/protocol.ts';
import type { PlegProtocol } from '../actors/pleg/protocol.ts';
import type { PodManagerProtocol } from '../actors/pod-manager/protocol.ts';
import type { PodSourceApiProtocol } from '../actors/pod-source-api/protocol.ts';
import type { PodSourceFileProtocol } from '../actors/pod-source-file/protocol.ts';
import type { PodSourceHttpProtocol } from '../actors/pod-source-http/protocol.ts';
import type { PodWorkerProtocol } from '../actors/pod-worker/protocol.ts';
import type { ProbeManagerProtocol } from '../actors/probe-manager/protocol.ts';
import type { ObjectFolderProtocol } from '../actors/object-folder/protocol.ts';
import type { StatusManagerProtocol } from '../actors/status-manager/protocol.ts';
import { statsCollector, type TypesOf } from './agent-message-types-stats.ts';
import { hostMessageTypes } from './agent-message-types-host.ts';

const podWorker: TypesOf<PodWorkerProtocol> = {
  acted: true,
  'cgroup-gone': true,
  observed: true,
  'probe-result': true,
  'report-probes': true,
  'pod-status-observed': true,
  'previous-status-read': true,
  removed: true,
  'reconcile-pod': true,
  'report-status': true,
  'report-volumes': true,
  'runtime-health-changed': true,
  'sandbox-ready': true,
  stopped: true,
  'sync-due': true,
  'sync-pod': true,
  'evict-pod': true,
  'terminate-pod': true,
  'terminate-runtime-pod': true,
  'volume-failed': true,
  'volume-noted': true,
};
const api: TypesOf<ApiGatewayProtocol> = {
  'api-health': true,
  call: true,
  'close-watch': true,
  'open-watch': true,
};
const containerManager: TypesOf<ContainerManagerProtocol> = {
  'pod-cgroup-changed': true,
  'pods-surveyed': true,
  'survey-due': true,
  'weigh-due': true,
};
const clientCertificate: TypesOf<ClientCertificateProtocol> = {
  'api-health-changed': true,
  look: true,
  looked: true,
  renewed: true,
};
const cri: TypesOf<CriGatewayProtocol> = {
  call: true,
  'check-runtime': true,
  'event-stream-ended': true,
  'open-event-stream': true,
  'runtime-checked': true,
  'runtime-health': true,
};
const evictionManager: TypesOf<EvictionManagerProtocol> = {
  'candidates-found': true,
  'eviction-answered': true,
  'leftovers-found': true,
  'look-due': true,
  looked: true,
  'memory-low': true,
  'node-pressures': true,
  reclaimed: true,
  'report-pressures': true,
  resumed: true,
};
const events: TypesOf<EventRecorderProtocol> = {
  'event-figures': true,
  'event-written': true,
  'record-event': true,
  'write-due': true,
};
const jobs: TypesOf<JobPoolProtocol> = {
  'parse-manifests': true,
  'parse-pod-list': true,
  'volume-orders': true,
  'walk-pods': true,
};
const objectFolder: TypesOf<ObjectFolderProtocol> = {
  'config-map': true,
  look: true,
  'look-failed': true,
  looked: true,
  'runtime-class': true,
  secret: true,
  'service-account-token': true,
  'services-of-namespace': true,
};
const mirrors: TypesOf<MirrorPodsProtocol> = {
  'all-told': true,
  'mirror-pod-gone': true,
  'mirror-pod-seen': true,
  'static-pod-gone': true,
  'static-pod-present': true,
  'step-ended': true,
  'try-again': true,
};
const kubeletServer: TypesOf<KubeletServerProtocol> = {
  'listen-again': true,
  'listen-failed': true,
  listening: true,
  'look-at-certificates': true,
  'server-ports': true,
};
const nodeMetrics: TypesOf<NodeMetricsProtocol> = {
  'cpu-profile': true,
  'heap-snapshot': true,
  'metrics-text': true,
  'set-verbosity': true,
  'thread-names': true,
};
const objectCache: TypesOf<ObjectCacheProtocol> = {
  'api-health-changed': true,
  'config-map': true,
  'runtime-class': true,
  secret: true,
  'service-account-token': true,
  'services-of-namespace': true,
  tidy: true,
  'watch-ended': true,
  'watch-events': true,
};
const pleg: TypesOf<PlegProtocol> = {
  'container-event': true,
  'event-stream-changed': true,
  inspected: true,
  listed: true,
  'pleg-health': true,
  'pod-status': true,
  relist: true,
  'running-logs': true,
  'runtime-health-changed': true,
  'runtime-pods': true,
};
const nodeLease: TypesOf<NodeLeaseProtocol> = {
  'api-health-changed': true,
  'call-ended': true,
  'lease-age': true,
  'node-found': true,
  'renew-due': true,
};
const nodeStatus: TypesOf<NodeStatusProtocol> = {
  'api-health-changed': true,
  'call-ended': true,
  looked: true,
  'node-object': true,
  'node-problem': true,
  'node-seen': true,
  'pleg-looked': true,
  'pressures-observed': true,
  'runtime-described': true,
  'runtime-health-changed': true,
  'status-due': true,
  'try-again': true,
  'volumes-in-use-changed': true,
  'watch-ended': true,
  'watch-events': true,
};
const nodeShutdown: TypesOf<NodeShutdownProtocol> = {
  arm: true,
  armed: true,
  'group-due': true,
  'not-armed': true,
  'notices-lost': true,
  'pod-ended': true,
  'pods-listed': true,
  'shutdown-announced': true,
  'shutdown-state': true,
};
const podManager: TypesOf<PodManagerProtocol> = {
  'all-pods': true,
  'pods-here': true,
  'pod-named': true,
  'pressures-observed': true,
  drain: true,
  'judgement-due': true,
  'preemption-overdue': true,
  'evict-pod': true,
  'eviction-facts': true,
  'node-shutting-down': true,
  'node-surveyed': true,
  'pod-terminated': true,
  'node-observed': true,
  'report-api-pods': true,
  'report-mirror-pods': true,
  'runtime-health-changed': true,
  'runtime-pod-appeared': true,
  'runtime-pod-vanished': true,
  'source-changed': true,
  survey: true,
  'take-all-away': true,
  'thread-up': true,
  urge: true,
  'worker-restarted': true,
  'pod-heard': true,
};
const podSourceApi: TypesOf<PodSourceApiProtocol> = {
  'api-health-changed': true,
  'send-all': true,
  'show-life': true,
  'watch-ended': true,
  'watch-events': true,
};
const podSourceFile: TypesOf<PodSourceFileProtocol> = {
  listed: true,
  'look-ended': true,
  'name-changed': true,
  'names-settled': true,
  'try-again': true,
  parsed: true,
  poll: true,
  'send-all': true,
  'show-life': true,
};
const probeManager: TypesOf<ProbeManagerProtocol> = {
  'forget-others': true,
  'forget-pod': true,
  'probe-pod': true,
  'results-of-pod': true,
};
const podSourceHttp: TypesOf<PodSourceHttpProtocol> = {
  fetched: true,
  parsed: true,
  poll: true,
  'send-all': true,
  'show-life': true,
};
const statusManager: TypesOf<StatusManagerProtocol> = {
  'all-statuses': true,
  'api-pod-changed': true,
  'api-pod-gone': true,
  'forget-others': true,
  'forget-pod': true,
  'pod-finished': true,
  'pod-status-changed': true,
  'status-of-pod': true,
  'write-due': true,
  'write-figures': true,
  written: true,
};

/** What each kind of actor can be told or asked, for those who only know it as text. */
export const messageTypes: Readonly<Record<string, readonly string[]>> = {
  ...hostMessageTypes,
  'api-gateway': Object.keys(api),
  'client-certificate': Object.keys(clientCertificate),
  'server-certificate': Object.keys(clientCertificate),
  'cri-gateway': Object.keys(cri),
  'eviction-manager': Object.keys(evictionManager),
  'event-recorder': Object.keys(events),
  'job-pool': Object.keys(jobs),
  'mirror-pods': Object.keys(mirrors),
  'kubelet-server': Object.keys(kubeletServer),
  'node-metrics': Object.keys(nodeMetrics),
  'object-folder': Object.keys(objectFolder),
  'object-cache': Object.keys(objectCache),
  'container-manager': Object.keys(containerManager),
  'node-lease': Object.keys(nodeLease),
  'node-shutdown': Object.keys(nodeShutdown),
  'node-status': Object.keys(nodeStatus),
  pleg: Object.keys(pleg),
  'pod-manager': Object.keys(podManager),
  'pod-source-api': Object.keys(podSourceApi),
  'pod-source-file': Object.keys(podSourceFile),
  'pod-source-http': Object.keys(podSourceHttp),
  'pod-worker': Object.keys(podWorker),
  'probe-manager': Object.keys(probeManager),
  'stats-collector': Object.keys(statsCollector),
  'status-manager': Object.keys(statusManager),
};
