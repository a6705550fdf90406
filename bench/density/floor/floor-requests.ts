import type { ContainerConfig, PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import { defaultConfiguration } from '../../../src/config/load-configuration.ts';
import { decodeManifest } from '../../../src/kube/manifest/decode-manifest.ts';
import { defaultPod } from '../../../src/kube/manifest/default-pod.ts';
import { staticPod, withConfigSeen } from '../../../src/kube/manifest/static-pod.ts';
import { readNodeFacts } from '../../../src/agent/read-node-facts.ts';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import { configurationOf, NODE_NAME, type RunPlace } from '../node-setup.ts';
import { manifestFile, podManifest } from '../pod-manifest.ts';

/** The runtime requests for one pod. */
export interface FloorPod {
  readonly sandbox: PodSandboxConfig;
  readonly image: string;
  readonly container: ContainerConfig;
}

const SEEN = new Date(0).toISOString();

/** The very requests that the agent makes for these pods: of the same size, and as hard to encode. */
export function floorPods(place: RunPlace, pods: number): readonly FloorPod[] {
  const config = { ...defaultConfiguration(), ...configurationOf(place, pods) };
  const node = readNodeFacts({ nodeName: NODE_NAME, rootDir: place.rootDir }, config);
  return Array.from({ length: pods }, (_, n): FloorPod => {
    const text = podManifest(n);
    const path = `${place.manifests}/${manifestFile(n)}`;
    const decoded = decodeManifest({ file: path, text, sizeBytes: text.length });
    if (!decoded.ok) throw new Error(`${path} is no pod: ${JSON.stringify(decoded.problems)}`);
    const made = staticPod({ manifest: decoded.pod, nodeName: NODE_NAME, source: { type: 'file', path } });
    if (!made.ok) throw new Error(made.message);
    const pod = defaultPod(withConfigSeen(made.pod, SEEN));
    const sandbox = sandboxConfig({ pod, attempt: 0, node });
    const [container] = pod.spec.containers;
    if (!sandbox.ok || container?.image === undefined) throw new Error(`${path} makes no sandbox`);
    const outcome = containerConfig({
      pod,
      container,
      restartCount: 0,
      imageRef: 'to be asked for',
      imageUser: undefined,
      podIps: ['10.88.100.100'],
      hostIps: [],
      node,
      sources: noConfigSources,
      terminationFile: '00000000',
    });
    if (!outcome.ok) throw new Error(`${path} makes no container: ${outcome.message}`);
    return { sandbox: sandbox.config, image: container.image, container: outcome.config };
  });
}
