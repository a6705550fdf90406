import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';
import { COMMANDS } from '../support/agent-process/test-pods.ts';
import { dataOf, DRIVER, textOf } from '../volume-kills/volumes-of-a-pod.ts';

export const NAMESPACE = 'default';
export const LOCAL_VOLUME = 'local-volume';
const ANNOTATION = 'example.com/generation';

export const annotations = (generation: number): Readonly<Record<string, string>> => ({
  [ANNOTATION]: textOf(generation),
});

/** The files that follow an object, one for each such kind of volume: content, and path below the pod's volumes. */
export const FOLLOWERS = [
  'kubernetes.io~configmap/config/generation',
  'kubernetes.io~secret/secret/generation',
  'kubernetes.io~downward-api/self/generation',
  'kubernetes.io~projected/all/generation',
] as const;
/** The same paths inside a container. */
export const FOLLOWERS_INSIDE = [
  'config/generation',
  'secret/generation',
  'self/deep/er/generation',
  'all/generation',
] as const;

/** The number of files of a version, for the reader that checks all of them. */
export const filesOf = (kind: string, generation: number): number =>
  kind === 'kubernetes.io~downward-api' ? 2 : Object.keys(dataOf(generation)).length;

/** Tokens belong to no generation. */
export const isToken = (name: string): boolean => name === 'token';

const annotation = (path: string) => ({ path, fieldRef: { fieldPath: `metadata.annotations['${ANNOTATION}']` } });

const volumesIn = (hostDirectory: string) => [
  { name: 'scratch', emptyDir: {} },
  { name: 'limited', emptyDir: { sizeLimit: '8Mi' } },
  { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'host', hostPath: { path: hostDirectory, type: 'DirectoryOrCreate' } },
  { name: 'config', configMap: { name: 'settings' } },
  { name: 'secret', secret: { secretName: 'keys' } },
  { name: 'self', downwardAPI: { items: [annotation('generation'), annotation('deep/er/generation')] } },
  {
    name: 'all',
    projected: {
      sources: [
        { configMap: { name: 'settings' } },
        { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
      ],
    },
  },
  { name: 'inline', csi: { driver: DRIVER } },
  { name: 'claimed', persistentVolumeClaim: { claimName: 'of-the-driver' } },
  { name: 'local', persistentVolumeClaim: { claimName: LOCAL_VOLUME } },
];

/**
 * The mounts of one pod below the agent's directory: in memory (emptyDir, secret, downwardAPI, projected), of the driver (inline,
 * claimed), of this host (local), and two subPaths.
 */
export const MOUNTS_OF_A_POD = 9;

/** A pod with a volume of every kind that the runtime supports, and subPaths of two. */
export function podWithEveryVolume(name: string, at: { nodeName: string; hostDirectory: string; generation: number }) {
  const volumes = volumesIn(at.hostDirectory);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, annotations: annotations(at.generation) },
    spec: {
      nodeName: at.nodeName,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      securityContext: { fsGroup: 4_321 },
      volumes,
      containers: [
        {
          name: 'app',
          image: BUSYBOX_IMAGE,
          imagePullPolicy: 'IfNotPresent',
          command: [...COMMANDS.app],
          volumeMounts: [
            ...volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
            { name: 'scratch', mountPath: '/part', subPath: 'a/b' },
            { name: 'config', mountPath: '/pinned', subPath: 'generation' },
          ],
        },
      ],
    },
  };
}

export const objectsOf = (generation: number) => [
  { kind: 'ConfigMap', path: 'configmaps', name: 'settings', content: { data: dataOf(generation) } },
  { kind: 'Secret', path: 'secrets', name: 'keys', content: { stringData: dataOf(generation) } },
];

/** A claim and its volume, bound to each other as by a controller. */
function claimed(name: string, source: object, more: object = {}) {
  const spec = { accessModes: ['ReadWriteMany'], storageClassName: '', volumeMode: 'Filesystem' };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace: NAMESPACE } };
  const storage = '1Gi';
  return {
    claim: { ...claim, spec: { ...spec, volumeName: `pv-${name}`, resources: { requests: { storage } } } },
    status: { phase: 'Bound', accessModes: spec.accessModes, capacity: { storage } },
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}` },
      spec: { ...spec, capacity: { storage }, persistentVolumeReclaimPolicy: 'Retain', ...source, ...more },
    },
  };
}

export const claims = (nodeName: string, localPath: string) => [
  claimed('of-the-driver', { csi: { driver: DRIVER, volumeHandle: 'vol-1' } }),
  claimed(
    LOCAL_VOLUME,
    { local: { path: localPath } },
    {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
        },
      },
    },
  ),
];

export const driverObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: DRIVER },
  spec: { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
};
