import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { decodeManifest } from '../../../src/kube/manifest/decode-manifest.ts';
import { defaultPod } from '../../../src/kube/manifest/default-pod.ts';
import type { EphemeralContainer, Pod } from '../../../src/kube/pod.ts';
import {
  CONFIG_SEEN_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
  staticPod,
  withConfigSeen,
} from '../../../src/kube/manifest/static-pod.ts';
import type { NodeFacts, RuntimeHandlerFacts } from '../../../src/node/object/node-facts.ts';
import type { ConfigSources, Lookup } from '../../../src/pod/cri-config/config-sources.ts';
import type { ImageVolume } from '../../../src/pod/cri-config/mounts.ts';
import type { ImageUser } from '../../../src/pod/cri-config/security-context.ts';
import type { ServiceFacts } from '../../../src/pod/cri-config/service-env.ts';
import type { Json } from './golden-form.ts';

/** Reads the recorded cases: the CRI requests of a kubelet v1.36.2 for a pod, on a node as below. */

const GOLDEN = new URL('../../golden/cri/', import.meta.url);
export const STATIC_NODE_NAME = 'golden-node';

export interface ExpectedCase {
  readonly status?: {
    readonly reason?: string;
    readonly containerStatuses?: readonly ExpectedStatus[];
    readonly initContainerStatuses?: readonly ExpectedStatus[];
  };
  readonly refused?: boolean;
  readonly events?: readonly { readonly reason: string; readonly message: string }[];
  readonly runPodSandbox?: readonly {
    readonly config: { readonly [key: string]: Json };
    readonly runtime_handler?: string;
  }[];
  readonly createContainer?: readonly { readonly config: ExpectedContainer }[];
  readonly files?: readonly { readonly path: string; readonly content?: string }[];
}
export interface ExpectedStatus {
  readonly name: string;
  readonly reason?: string;
  readonly message?: string;
}
type ExpectedContainer = { readonly [key: string]: Json } & {
  readonly metadata: { readonly name: string; readonly attempt?: number };
};

interface ApiObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly handler?: string;
  readonly spec?: { readonly clusterIP?: string; readonly ports?: ServiceFacts['ports'] };
  readonly ephemeralContainers?: readonly EphemeralContainer[];
}

export interface GoldenCase {
  readonly name: string;
  readonly expected: ExpectedCase;
  readonly pod: Pod;
  readonly sources: ConfigSources;
  readonly runtimeHandler: string;
  readonly imageVolumes: ReadonlyMap<string, ImageVolume>;
}

export const caseNames = (): readonly string[] =>
  readdirSync(GOLDEN, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

const readText = (path: string): string => readFileSync(new URL(path, GOLDEN), 'utf8');
// The recordings have these types; the comparison would fail otherwise.
const readJson = (path: string): unknown => JSON.parse(readText(path));

const environment = readJson('environment.json') as {
  readonly resolvConf: string;
  readonly memoryCapacityBytes: number;
  readonly memoryAllocatableBytes: number;
  readonly podIP: string;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly services: readonly ServiceFacts[];
  readonly runtimeStatus: {
    readonly runtimeHandlers: readonly {
      readonly name: string;
      readonly recursiveReadOnlyMounts: boolean;
      readonly userNamespaces: boolean;
    }[];
  };
  readonly kubeletConfiguration: { readonly clusterDNS: readonly string[]; readonly clusterDomain: string };
};

export const goldenHostIps: readonly string[] = ['{{HOSTIP}}'];

/** The node on which the cases were recorded, with the recordings' placeholders. */
export const goldenNode: NodeFacts = {
  nodeName: '{{NODE}}',
  nodeIps: [],
  rootDir: '{{ROOT}}',
  podLogsDir: '/var/log/pods',
  clusterDNS: environment.kubeletConfiguration.clusterDNS,
  clusterDomain: environment.kubeletConfiguration.clusterDomain,
  resolvConf: environment.resolvConf,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: '/',
  cgroupsPerQos: true,
  cgroupVersion: 1,
  cpuCfsQuota: true,
  cpuCfsQuotaPeriodMicroseconds: 100_000n,
  singleProcessOOMKill: true,
  memoryCapacityBytes: BigInt(environment.memoryCapacityBytes),
  allocatable: environment.allocatable,
  swap: { controller: 'available', behavior: 'NoSwap', capacityBytes: 0n },
  hugePageSizes: [2n ** 30n, 2n ** 21n],
  seccompDefault: false,
  thermalThrottlePaths: [],
};

export const podIpsOf = (pod: Pod): readonly string[] =>
  pod.spec.hostNetwork === true ? goldenHostIps : [environment.podIP];

/** The features of the fake runtime's handlers. */
export const handlerOf = (name: string): RuntimeHandlerFacts | undefined =>
  environment.runtimeStatus.runtimeHandlers.find((handler) => handler.name === name);

/** The stand-in runtime names an image by the hash of its name. */
export const imageRefOf = (image: string): string => {
  const lastPart = image.slice(image.lastIndexOf('/') + 1);
  const complete = lastPart.includes(':') ? image : `${image}:latest`;
  return `sha256:${createHash('sha256').update(complete).digest('hex')}`;
};

/** … and takes the user of an image from its name. */
export function imageUserOf(image: string): ImageUser {
  const uid = /-uid(\d+)/.exec(image)?.[1];
  if (uid !== undefined) return { uid: Number(uid) };
  return image.includes('-username') ? { username: 'appuser' } : {};
}

/** The objects of a case: its pod, and those that it needs. */
export function readObjects(name: string): readonly ApiObject[] {
  const documents = parseAllDocuments(readText(`${name}/manifest.yaml`), { version: '1.1', logLevel: 'silent' });
  return (Array.isArray(documents) ? documents : []).map((document) => document.toJS() as ApiObject);
}

export function readCase(name: string): GoldenCase {
  const objects = readObjects(name);
  const pod = existsSync(new URL(`${name}/stored.json`, GOLDEN)) ? storedPod(name, objects) : podFromFile(name);
  const runtimeClass = objects.find(
    ({ kind, metadata }) => kind === 'RuntimeClass' && metadata.name === pod.spec.runtimeClassName,
  );
  return {
    name,
    expected: readJson(`${name}/expected.json`) as ExpectedCase,
    pod,
    sources: sourcesOf(objects, pod),
    runtimeHandler: runtimeClass?.handler ?? '',
    imageVolumes: imageVolumesOf(pod),
  };
}

function storedPod(name: string, objects: readonly ApiObject[]): Pod {
  const pod = readJson(`${name}/stored.json`) as Pod;
  const debug = objects.find(({ kind }) => kind === 'EphemeralContainers')?.ephemeralContainers;
  const annotations = {
    ...pod.metadata.annotations,
    [CONFIG_SOURCE_ANNOTATION]: 'api',
    [CONFIG_SEEN_ANNOTATION]: '{{TIME}}',
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: debug === undefined ? pod.spec : defaultedDebug(pod, debug),
  };
}

// Debug containers pass the same defaulting as the others.
function defaultedDebug(pod: Pod, debug: readonly EphemeralContainer[]): Pod['spec'] {
  const { containers } = defaultPod({ ...pod, spec: { ...pod.spec, containers: debug } }).spec;
  return { ...pod.spec, ephemeralContainers: containers };
}

function podFromFile(name: string): Pod {
  const path = `${name}/manifest.yaml`;
  const text = readText(path);
  const decoded = decodeManifest({ file: path, text, sizeBytes: text.length });
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problems));
  const made = staticPod({
    manifest: decoded.pod,
    nodeName: STATIC_NODE_NAME,
    source: { type: 'file', path: `/manifests/${name}.yaml` },
  });
  // A refused manifest is compared by its refusal alone.
  return made.ok ? withConfigSeen(defaultPod(made.pod), '{{TIME}}') : decoded.pod;
}

function sourcesOf(objects: readonly ApiObject[], pod: Pod): ConfigSources {
  const find = (kind: string, name: string, namespace: string): Lookup<Readonly<Record<string, string>>> => {
    const object = objects.find(
      (candidate) =>
        candidate.kind === kind && candidate.metadata.name === name && candidate.metadata.namespace === namespace,
    );
    if (object === undefined) return { type: 'missing' };
    const data = Object.entries(object.data ?? {}).map(([key, value]) => [
      key,
      kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value,
    ]);
    return { type: 'found', value: { ...Object.fromEntries(data), ...object.stringData } };
  };
  const services = objects
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata, spec }) => ({
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      clusterIP: spec?.clusterIP ?? '',
      ports: spec?.ports ?? [],
    }));
  return {
    configMap: ({ namespace, name }) => find('ConfigMap', name, namespace),
    secret: ({ namespace, name }) => find('Secret', name, namespace),
    services: () => ({ type: 'found', value: [...environment.services, ...services] }),
    volumeFile: ({ path }) => {
      const content = (pod.spec.initContainers ?? [])
        .flatMap(({ env }) => env ?? [])
        .find(({ name }) => `${name.replace('FILE_', '')}.env` === path)?.value;
      return content === undefined ? { type: 'missing' } : { type: 'found', value: content };
    },
  };
}

function imageVolumesOf(pod: Pod): ReadonlyMap<string, ImageVolume> {
  const volumes = new Map<string, ImageVolume>();
  for (const volume of pod.spec.volumes ?? []) {
    const { image } = volume as { readonly image?: { readonly reference: string } };
    if (image !== undefined) {
      volumes.set(volume.name, { imageRef: imageRefOf(image.reference), reference: image.reference });
    }
  }
  return volumes;
}
