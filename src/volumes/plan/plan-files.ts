import type { Container, Pod, Volume } from '../../kube/pod.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { podField } from '../../pod/cri-config/pod-field.ts';
import { resourceField } from '../../pod/cri-config/resource-field.ts';
import { selectorText, type LabelSelector } from './label-selector-text.ts';
import { memoryVolumeBytes } from './memory-volume-size.ts';
import type { FilesPlan, FilesPlugin, FilesSource, KeyToPath } from './volume-plan.ts';

interface ObjectSource {
  readonly name?: string;
  readonly secretName?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

interface DownwardItem {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: { readonly fieldPath: string };
  readonly resourceFieldRef?: NonNullable<
    NonNullable<NonNullable<Container['env']>[number]['valueFrom']>['resourceFieldRef']
  >;
}

interface BundleProjection {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: LabelSelector;
  readonly optional?: boolean;
  readonly path: string;
}

interface CertificateProjection {
  readonly signerName?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: number;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: Readonly<Record<string, string>>;
}

interface Projection {
  readonly configMap?: ObjectSource;
  readonly secret?: ObjectSource;
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] };
  readonly serviceAccountToken?: {
    readonly path: string;
    readonly audience?: string;
    readonly expirationSeconds?: number;
  };
  readonly clusterTrustBundle?: BundleProjection;
  readonly podCertificate?: CertificateProjection;
}

/** The shapes that `decodeShape` has checked. */
interface Sources {
  readonly configMap?: ObjectSource & { readonly defaultMode?: number };
  readonly secret?: ObjectSource & { readonly defaultMode?: number };
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[]; readonly defaultMode?: number };
  readonly projected?: { readonly sources?: readonly Projection[]; readonly defaultMode?: number };
}

const DEFAULT_MODE = 0o644;
const DEFAULT_TOKEN_SECONDS = 3_600;

/** Plans a volume whose content the node writes; `undefined` for all other volumes. */
export function planFiles(volume: Volume, pod: Pod, node: NodeFacts): FilesPlan | undefined {
  // The shape of volumes has been checked; the type of `Volume` leaves sources open.
  const { configMap, secret, downwardAPI, projected } = volume as Sources;
  const planned = (
    plugin: FilesPlugin,
    defaultMode: number | undefined,
    sources: readonly FilesSource[],
  ): FilesPlan => {
    // Secrets and pod data must not reach a disk; a ConfigMap may.
    const memoryBytes = plugin === 'configmap' ? undefined : memoryVolumeBytes(pod, node);
    return {
      type: 'files',
      name: volume.name,
      plugin,
      sources,
      defaultMode: defaultMode ?? DEFAULT_MODE,
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
    };
  };
  if (configMap !== undefined)
    return planned('configmap', configMap.defaultMode, [ofObject('ConfigMap', configMap, pod)]);
  if (secret !== undefined) return planned('secret', secret.defaultMode, [ofObject('Secret', secret, pod)]);
  if (downwardAPI !== undefined) {
    return planned('downward-api', downwardAPI.defaultMode, ofPod(downwardAPI.items ?? [], pod, node));
  }
  if (projected === undefined) return undefined;
  const sources = (projected.sources ?? []).flatMap((projection) => ofProjection(projection, pod, node));
  return planned('projected', projected.defaultMode, sources);
}

function ofObject(kind: 'ConfigMap' | 'Secret', source: ObjectSource, pod: Pod): FilesSource {
  const { items, optional = false } = source;
  const ref = { kind, namespace: pod.metadata.namespace, name: source.secretName ?? source.name ?? '' };
  // An empty list of items stands for all keys, as a missing list does.
  return { type: 'object', ref, optional, ...(items === undefined || items.length === 0 ? {} : { items }) };
}

function ofPod(items: readonly DownwardItem[], pod: Pod, node: NodeFacts): readonly FilesSource[] {
  return items.map((item): FilesSource => {
    const value = valueOf(item, pod, node);
    if (!value.ok) return { type: 'refused', message: value.message };
    return {
      type: 'text',
      path: item.path,
      text: value.value,
      ...(item.mode === undefined ? {} : { mode: item.mode }),
    };
  });
}

type Value = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/**
 * Fields of a running pod, such as its addresses, are unavailable in volumes: volumes are set up before the pod has
 * any.
 */
const OF_VOLUMES = /^metadata\.(name|namespace|uid|labels|annotations)(\['.*'\])?$/;

function valueOf({ fieldRef, resourceFieldRef }: DownwardItem, pod: Pod, node: NodeFacts): Value {
  if (fieldRef !== undefined) {
    const { fieldPath } = fieldRef;
    const value = OF_VOLUMES.test(fieldPath) ? podField({ pod, podIps: [], hostIps: [] }, fieldPath) : undefined;
    return value === undefined ? { ok: false, message: `unsupported fieldPath: ${fieldPath}` } : { ok: true, value };
  }
  const [container] = pod.spec.containers;
  if (resourceFieldRef === undefined || container === undefined) return { ok: true, value: '' };
  return resourceField({ pod, container, node, inVolume: true }, resourceFieldRef);
}

function ofProjection(projection: Projection, pod: Pod, node: NodeFacts): readonly FilesSource[] {
  const {
    configMap,
    secret,
    downwardAPI,
    serviceAccountToken: token,
    clusterTrustBundle: bundle,
    podCertificate: certificate,
  } = projection;
  if (configMap !== undefined) return [ofObject('ConfigMap', configMap, pod)];
  if (secret !== undefined) return [ofObject('Secret', secret, pod)];
  if (downwardAPI !== undefined) return ofPod(downwardAPI.items ?? [], pod, node);
  if (token !== undefined) {
    const uid = oneUser(pod);
    return [
      {
        type: 'token',
        path: token.path,
        audience: token.audience ?? '',
        expirationSeconds: token.expirationSeconds ?? DEFAULT_TOKEN_SECONDS,
        serviceAccount: pod.spec.serviceAccountName || 'default',
        ...(uid === undefined ? {} : { uid }),
      },
    ];
  }
  if (certificate !== undefined) return [ofCertificate(certificate, pod)];
  if (bundle !== undefined) {
    const { name = '', signerName = '', labelSelector, path, optional = false } = bundle;
    const labels = labelSelector === undefined ? undefined : selectorText(labelSelector);
    return [{ type: 'trust-bundle', path, optional, of: name === '' ? { signerName, labels } : { name } }];
  }
  const kind = Object.keys(projection)[0] ?? 'nothing';
  return [{ type: 'refused', message: `${kind}: this source of a projected volume is not supported yet` }];
}

function ofCertificate(certificate: CertificateProjection, pod: Pod): FilesSource {
  const { signerName = '', keyType = '', maxExpirationSeconds, userAnnotations } = certificate;
  const { credentialBundlePath: bundlePath, keyPath, certificateChainPath: chainPath } = certificate;
  const uid = oneUser(pod);
  return {
    type: 'certificate',
    signerName,
    keyType,
    serviceAccount: pod.spec.serviceAccountName || 'default',
    ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
    ...(userAnnotations === undefined ? {} : { userAnnotations }),
    ...(bundlePath === undefined ? {} : { bundlePath }),
    ...(keyPath === undefined ? {} : { keyPath }),
    ...(chainPath === undefined ? {} : { chainPath }),
    ...(uid === undefined ? {} : { uid }),
  };
}

/** Returns the user that all containers of the pod declare; `undefined` when they differ or declare none. */
function oneUser(pod: Pod): number | undefined {
  const { containers, initContainers = [], ephemeralContainers = [], securityContext } = pod.spec;
  const users = new Set(
    [...initContainers, ...containers, ...ephemeralContainers].map(
      (container) => container.securityContext?.runAsUser ?? securityContext?.runAsUser,
    ),
  );
  return users.size === 1 ? [...users][0] : undefined;
}
