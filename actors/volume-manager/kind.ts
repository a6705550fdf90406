import type { ActorContext, Caller } from '../../src/actor/actor.ts';
import { apiUse, type AgentSettings } from '../../src/agent/settings.ts';
import { podThreadNames } from '../../src/agent/tree.ts';
import { apiClient } from '../../src/api/api-client.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import { recordedPodEventObject } from '../../src/kube/event.ts';
import { noBundles, noObjects, type ObjectSource } from '../../src/volumes/plan/object-source.ts';
import { PodCertificates, type PodCertificatesDeps } from '../../src/volumes/certificates/pod-certificates.ts';
import { TrustBundles } from '../../src/volumes/certificates/trust-bundles.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { csiManagerClient } from '../csi-manager/client.ts';
import { eventRecorderClient } from '../event-recorder/client.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { objectsAddress, volumeObjectsClient } from '../object-cache/client.ts';
import { VolumeManager } from './actor.ts';
import { volumeMetrics, type VolumeMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { VolumeManagerProtocol } from './protocol.ts';

/** The actor that makes the volumes of pods. */
export const kind = agentKind<VolumeManagerProtocol>({
  runsOn: 'volumes',
  standsOn: [JOB_POOL],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'bind-sub-paths': true,
    'content-released': true,
    'driver-volumes': true,
    'hold-content': true,
    'mount-volumes': true,
    'objects-changed': true,
    'operation-due': true,
    'pod-torn-down': true,
    'unmount-volumes': true,
    'volume-set-up': true,
    'volumes-wanted': true,
    'mount-timed-out': true,
  },
  make({ settings, node, tree, metrics: families }) {
    const metrics = volumeMetrics(families);
    const address = objectsAddress(settings);
    const deps = {
      rootDir: node.rootDir,
      objects: (context: ActorContext<VolumeManagerProtocol>) =>
        address === undefined
          ? noObjects
          : { ...volumeObjectsClient(context, address), ...bundlesFor(context, settings, metrics) },
      foreign: csiManagerClient,
      metrics,
      syncFrequencyMs: settings.config.syncFrequency,
      podThreads: podThreadNames(tree),
    };
    return (context) => new VolumeManager(context, deps);
  },
});

/**
 * Returns the source of ClusterTrustBundles and pod certificates: the API, if there is one and the node's feature gates
 * allow it.
 */
function bundlesFor(
  context: Caller & Pick<ActorContext, 'clock' | 'random'>,
  settings: AgentSettings,
  metrics: VolumeMetrics,
): Pick<ObjectSource, 'bundle' | 'certificate'> {
  const { clock, random } = context;
  if (apiUse(settings) !== 'api') return noBundles;
  const api = apiClient(apiGatewayClient(context, API_CALL_MS));
  const isOn = gatesOf(settings.config);
  const bundles = new TrustBundles(api, () => clock.monotonic());
  const record = eventRecorderClient(context);
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
