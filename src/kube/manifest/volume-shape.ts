import { list, map, object } from './decode-shape.ts';

const keyToPath = object({ key: 'string', path: 'string', mode: 'int' }, ['key', 'path']);
export const fieldRef = object({ apiVersion: 'string', fieldPath: 'string' }, ['fieldPath']);
export const resourceFieldRef = object({ containerName: 'string', resource: 'string', divisor: 'quantity' }, [
  'resource',
]);
const downwardItem = object({ path: 'string', fieldRef, resourceFieldRef, mode: 'int' }, ['path']);
const labelSelector = object({
  matchLabels: map('string'),
  matchExpressions: list(object({ key: 'string', operator: 'string', values: list('string') })),
});

const projection = object({
  secret: object({ name: 'string', items: list(keyToPath), optional: 'bool' }),
  configMap: object({ name: 'string', items: list(keyToPath), optional: 'bool' }),
  downwardAPI: object({ items: list(downwardItem) }),
  serviceAccountToken: object({ audience: 'string', expirationSeconds: 'int', path: 'string' }, ['path']),
  clusterTrustBundle: object(
    {
      name: 'string',
      signerName: 'string',
      labelSelector,
      optional: 'bool',
      path: 'string',
    },
    ['path'],
  ),
  podCertificate: object(
    {
      signerName: 'string',
      keyType: 'string',
      maxExpirationSeconds: 'int',
      credentialBundlePath: 'string',
      keyPath: 'string',
      certificateChainPath: 'string',
      userAnnotations: map('string'),
    },
    ['signerName', 'keyType'],
  ),
});

/** core/v1 Volume. Sources of long removed plugins are kept unread. */
export const volumeShape = object(
  {
    name: 'string',
    emptyDir: object({ medium: 'string', sizeLimit: 'quantity' }),
    hostPath: object({ path: 'string', type: 'string' }, ['path']),
    configMap: object({ name: 'string', items: list(keyToPath), defaultMode: 'int', optional: 'bool' }),
    secret: object({ secretName: 'string', items: list(keyToPath), defaultMode: 'int', optional: 'bool' }),
    downwardAPI: object({ items: list(downwardItem), defaultMode: 'int' }),
    projected: object({ sources: list(projection), defaultMode: 'int' }),
    image: object({ reference: 'string', pullPolicy: 'string' }),
    persistentVolumeClaim: object({ claimName: 'string', readOnly: 'bool' }, ['claimName']),
    ephemeral: object({ volumeClaimTemplate: 'any' }),
    csi: object(
      {
        driver: 'string',
        readOnly: 'bool',
        fsType: 'string',
        volumeAttributes: map('string'),
        nodePublishSecretRef: object({ name: 'string' }),
      },
      ['driver'],
    ),
    nfs: object({ server: 'string', path: 'string', readOnly: 'bool' }, ['server', 'path']),
    iscsi: 'any',
    fc: 'any',
    glusterfs: 'any',
    rbd: 'any',
    cephfs: 'any',
    cinder: 'any',
    flexVolume: 'any',
    flocker: 'any',
    gitRepo: 'any',
    quobyte: 'any',
    azureFile: 'any',
    azureDisk: 'any',
    awsElasticBlockStore: 'any',
    gcePersistentDisk: 'any',
    vsphereVolume: 'any',
    photonPersistentDisk: 'any',
    portworxVolume: 'any',
    scaleIO: 'any',
    storageos: 'any',
  },
  ['name'],
);
