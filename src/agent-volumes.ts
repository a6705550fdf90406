import type { Caller } from '../actors/cri-gateway/client.ts';
import { apiThroughGateway } from '../actors/api-gateway/client.ts';
import { csiThroughManager } from '../actors/csi-manager/client.ts';
import { eventsThroughRecorder } from '../actors/event-recorder/client.ts';
import { podThreadNames } from '../actors/tree.ts';
import { VolumeManager } from '../actors/volume-manager/actor.ts';
import { volumeMetrics, type VolumeMetrics } from '../actors/volume-manager/metrics.ts';
import type { VolumeManagerProtocol } from '../actors/volume-manager/protocol.ts';
import { volumeObjectsThroughCache } from '../actors/volume-objects-through-cache.ts';
import { actorKind, type ActorContext, type ActorKind } from './actor/actor.ts';
import type { Address } from './actor/message.ts';
import type { MetricFamilies } from './actor/metric-families.ts';
import { largeMailbox, type KindConfig } from './agent/kind.ts';
import { apiUse, treeFor } from './agent/api-settings.ts';
import type { AgentSettings } from './agent/agent.ts';
import { apiClient } from './api/api-client.ts';
import { gatesOf } from './config/feature-gates.ts';
import { recordedPodEventObject } from './kube/event.ts';
import { noBundles, noObjects, type ObjectSource } from './volumes/object-source.ts';
import { PodCertificates, type PodCertificatesDeps } from './volumes/pod-certificates.ts';
import { TrustBundles } from './volumes/trust-bundles.ts';

const API_CALL_MS = 30_000;

/** The actor that makes the volumes of pods. `objects`: who has what volumes are made of; undefined: nobody. */
export function volumeManagerKind(
  { settings, node }: KindConfig,
  families: MetricFamilies,
  objects: Address | undefined,
): ActorKind {
  const metrics = volumeMetrics(families);
  const deps = {
    rootDir: node.rootDir,
    objects: (context: ActorContext<VolumeManagerProtocol>) =>
      objects === undefined
        ? noObjects
        : { ...volumeObjectsThroughCache(context, objects), ...bundlesFor(context, settings, metrics) },
    foreign: csiThroughManager,
    metrics,
    syncFrequencyMs: settings.config.syncFrequency,
    podThreads: podThreadNames(treeFor(settings)),
  };
  return actorKind<VolumeManagerProtocol>({
    mailbox: largeMailbox,
    make: (context) => new VolumeManager(context, deps),
  });
}

/** Where ClusterTrustBundles and certificates of pods come from: the API, where there is one and a feature gate of the node lets them be. */
function bundlesFor(
  context: Caller & Pick<ActorContext, 'clock' | 'random' | 'ref'>,
  settings: AgentSettings,
  metrics: VolumeMetrics,
): Pick<ObjectSource, 'bundle' | 'certificate'> {
  const { clock, random } = context;
  if (apiUse(settings) !== 'api') return noBundles;
  const api = apiClient(apiThroughGateway(context, API_CALL_MS));
  const isOn = gatesOf(settings.config);
  const bundles = new TrustBundles(api, () => clock.monotonic());
  const record = eventsThroughRecorder(context);
  const complain: PodCertificatesDeps['complain'] = ({ namespace, podName: name, podUid: uid }, complaint) =>
    record({ object: recordedPodEventObject({ namespace, name, uid }), ...complaint });
  const certificates = new PodCertificates({ api, clock, random, nodeName: settings.nodeName, complain });
  metrics.certificatesBy(() => certificates.counts());
  return {
    bundle: (request) => (isOn('ClusterTrustBundleProjection') ? bundles.get(request) : noBundles.bundle(request)),
    certificate: (pod, source) =>
      isOn('PodCertificateRequest') ? certificates.get(pod, source) : noBundles.certificate(pod, source),
  };
}
