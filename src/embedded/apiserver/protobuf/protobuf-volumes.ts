import { list, map, message } from './protobuf-parts.ts';

// The wire form of a pod's volumes, for the kinds that a node here can mount.

const hostPathVolumeSource = message({
  1: ['path', 'string'],
  2: ['type', 'string'],
});

const emptyDirVolumeSource = message({
  1: ['medium', 'string'],
  2: ['sizeLimit', 'quantity'],
});

const keyToPath = message({
  1: ['key', 'string'],
  2: ['path', 'string'],
  3: ['mode', 'int'],
});

const secretVolumeSource = message({
  1: ['secretName', 'string'],
  2: ['items', list(keyToPath)],
  3: ['defaultMode', 'int'],
  4: ['optional', 'bool'],
});

const nfsVolumeSource = message({
  1: ['server', 'string'],
  2: ['path', 'string'],
  3: ['readOnly', 'flag'],
});

const persistentVolumeClaimVolumeSource = message({
  1: ['claimName', 'string'],
  2: ['readOnly', 'flag'],
});

export const objectFieldSelector = message({
  1: ['apiVersion', 'string'],
  2: ['fieldPath', 'string'],
});

export const resourceFieldSelector = message({
  1: ['containerName', 'string'],
  2: ['resource', 'string'],
  3: ['divisor', 'quantity'],
});

const downwardAPIVolumeFile = message({
  1: ['path', 'string'],
  2: ['fieldRef', objectFieldSelector],
  3: ['resourceFieldRef', resourceFieldSelector],
  4: ['mode', 'int'],
});

const downwardAPIVolumeSource = message({
  1: ['items', list(downwardAPIVolumeFile)],
  2: ['defaultMode', 'int'],
});

export const localObjectReference = message({
  1: ['name', 'string'],
});

const configMapVolumeSource = message({
  1: ['', localObjectReference],
  2: ['items', list(keyToPath)],
  3: ['defaultMode', 'int'],
  4: ['optional', 'bool'],
});

const secretProjection = message({
  1: ['', localObjectReference],
  2: ['items', list(keyToPath)],
  4: ['optional', 'bool'],
});

const downwardAPIProjection = message({
  1: ['items', list(downwardAPIVolumeFile)],
});

const configMapProjection = message({
  1: ['', localObjectReference],
  2: ['items', list(keyToPath)],
  4: ['optional', 'bool'],
});

const serviceAccountTokenProjection = message({
  1: ['audience', 'string'],
  2: ['expirationSeconds', 'int'],
  3: ['path', 'string'],
});

const volumeProjection = message({
  1: ['secret', secretProjection],
  2: ['downwardAPI', downwardAPIProjection],
  3: ['configMap', configMapProjection],
  4: ['serviceAccountToken', serviceAccountTokenProjection],
});

const projectedVolumeSource = message({
  1: ['sources', list(volumeProjection)],
  2: ['defaultMode', 'int'],
});

const csiVolumeSource = message({
  1: ['driver', 'string'],
  2: ['readOnly', 'flag'],
  3: ['fsType', 'string'],
  4: ['volumeAttributes', map('string')],
  5: ['nodePublishSecretRef', localObjectReference],
});

const volumeSource = message({
  1: ['hostPath', hostPathVolumeSource],
  2: ['emptyDir', emptyDirVolumeSource],
  6: ['secret', secretVolumeSource],
  7: ['nfs', nfsVolumeSource],
  10: ['persistentVolumeClaim', persistentVolumeClaimVolumeSource],
  16: ['downwardAPI', downwardAPIVolumeSource],
  19: ['configMap', configMapVolumeSource],
  26: ['projected', projectedVolumeSource],
  28: ['csi', csiVolumeSource],
});

export const volume = message({
  1: ['name', 'string'],
  2: ['', volumeSource],
});
