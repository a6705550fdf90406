// Made from api-messages.txt by `npm run -s generate`. Changes are lost.
import { list, map, message, type WireMessage } from '../../../../api/protobuf/wire-types.ts';

const ofOwnerReference: WireMessage = {
  1: ['kind', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['controller', 'bool'],
  7: ['blockOwnerDeletion', 'bool'],
};

const ofManagedFieldsEntry: WireMessage = {
  1: ['manager', 'string-or-none'],
  2: ['operation', 'string-or-none'],
  3: ['apiVersion', 'string-or-none'],
  4: ['time', 'time'],
  6: ['fieldsType', 'string-or-none'],
  7: ['fieldsV1', 'fields'],
  8: ['subresource', 'string-or-none'],
};

const ofObjectMeta: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['generateName', 'string-or-none'],
  3: ['namespace', 'string-or-none'],
  4: ['selfLink', 'string-or-none'],
  5: ['uid', 'string-or-none'],
  6: ['resourceVersion', 'string-or-none'],
  7: ['generation', 'int-or-none'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int'],
  11: ['labels', map('string')],
  12: ['annotations', map('string')],
  13: ['ownerReferences', list(message(ofOwnerReference))],
  14: ['finalizers', list('string')],
  17: ['managedFields', list(message(ofManagedFieldsEntry))],
};

const ofHostPathVolumeSource: WireMessage = {
  1: ['path', 'string'],
  2: ['type', 'string'],
};

const ofEmptyDirVolumeSource: WireMessage = {
  1: ['medium', 'string-or-none'],
  2: ['sizeLimit', 'quantity'],
};

const ofGCEPersistentDiskVolumeSource: WireMessage = {
  1: ['pdName', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['partition', 'int-or-none'],
  4: ['readOnly', 'flag'],
};

const ofAWSElasticBlockStoreVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['partition', 'int-or-none'],
  4: ['readOnly', 'flag'],
};

const ofGitRepoVolumeSource: WireMessage = {
  1: ['repository', 'string'],
  2: ['revision', 'string-or-none'],
  3: ['directory', 'string-or-none'],
};

const ofKeyToPath: WireMessage = {
  1: ['key', 'string'],
  2: ['path', 'string'],
  3: ['mode', 'int'],
};

const ofSecretVolumeSource: WireMessage = {
  1: ['secretName', 'string-or-none'],
  2: ['items', list(message(ofKeyToPath))],
  3: ['defaultMode', 'int'],
  4: ['optional', 'bool'],
};

const ofNFSVolumeSource: WireMessage = {
  1: ['server', 'string'],
  2: ['path', 'string'],
  3: ['readOnly', 'flag'],
};

const ofLocalObjectReference: WireMessage = {
  1: ['name', 'string-or-none'],
};

const ofISCSIVolumeSource: WireMessage = {
  1: ['targetPortal', 'string'],
  2: ['iqn', 'string'],
  3: ['lun', 'int'],
  4: ['iscsiInterface', 'string-or-none'],
  5: ['fsType', 'string-or-none'],
  6: ['readOnly', 'flag'],
  7: ['portals', list('string')],
  8: ['chapAuthDiscovery', 'flag'],
  10: ['secretRef', message(ofLocalObjectReference)],
  11: ['chapAuthSession', 'flag'],
  12: ['initiatorName', 'string'],
};

const ofGlusterfsVolumeSource: WireMessage = {
  1: ['endpoints', 'string'],
  2: ['path', 'string'],
  3: ['readOnly', 'flag'],
};

const ofPersistentVolumeClaimVolumeSource: WireMessage = {
  1: ['claimName', 'string'],
  2: ['readOnly', 'flag'],
};

const ofRBDVolumeSource: WireMessage = {
  1: ['monitors', list('string')],
  2: ['image', 'string'],
  3: ['fsType', 'string-or-none'],
  4: ['pool', 'string-or-none'],
  5: ['user', 'string-or-none'],
  6: ['keyring', 'string-or-none'],
  7: ['secretRef', message(ofLocalObjectReference)],
  8: ['readOnly', 'flag'],
};

const ofFlexVolumeSource: WireMessage = {
  1: ['driver', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['secretRef', message(ofLocalObjectReference)],
  4: ['readOnly', 'flag'],
  5: ['options', map('string')],
};

const ofCinderVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['readOnly', 'flag'],
  4: ['secretRef', message(ofLocalObjectReference)],
};

const ofCephFSVolumeSource: WireMessage = {
  1: ['monitors', list('string')],
  2: ['path', 'string-or-none'],
  3: ['user', 'string-or-none'],
  4: ['secretFile', 'string-or-none'],
  5: ['secretRef', message(ofLocalObjectReference)],
  6: ['readOnly', 'flag'],
};

const ofFlockerVolumeSource: WireMessage = {
  1: ['datasetName', 'string-or-none'],
  2: ['datasetUUID', 'string-or-none'],
};

const ofObjectFieldSelector: WireMessage = {
  1: ['apiVersion', 'string-or-none'],
  2: ['fieldPath', 'string'],
};

const ofResourceFieldSelector: WireMessage = {
  1: ['containerName', 'string-or-none'],
  2: ['resource', 'string'],
  3: ['divisor', 'quantity'],
};

const ofDownwardAPIVolumeFile: WireMessage = {
  1: ['path', 'string'],
  2: ['fieldRef', message(ofObjectFieldSelector)],
  3: ['resourceFieldRef', message(ofResourceFieldSelector)],
  4: ['mode', 'int'],
};

const ofDownwardAPIVolumeSource: WireMessage = {
  1: ['items', list(message(ofDownwardAPIVolumeFile))],
  2: ['defaultMode', 'int'],
};

const ofFCVolumeSource: WireMessage = {
  1: ['targetWWNs', list('string')],
  2: ['lun', 'int'],
  3: ['fsType', 'string-or-none'],
  4: ['readOnly', 'flag'],
  5: ['wwids', list('string')],
};

const ofAzureFileVolumeSource: WireMessage = {
  1: ['secretName', 'string'],
  2: ['shareName', 'string'],
  3: ['readOnly', 'flag'],
};

const ofConfigMapVolumeSource: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['items', list(message(ofKeyToPath))],
  3: ['defaultMode', 'int'],
  4: ['optional', 'bool'],
};

const ofVsphereVirtualDiskVolumeSource: WireMessage = {
  1: ['volumePath', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['storagePolicyName', 'string-or-none'],
  4: ['storagePolicyID', 'string-or-none'],
};

const ofQuobyteVolumeSource: WireMessage = {
  1: ['registry', 'string'],
  2: ['volume', 'string'],
  3: ['readOnly', 'flag'],
  4: ['user', 'string-or-none'],
  5: ['group', 'string-or-none'],
  6: ['tenant', 'string-or-none'],
};

const ofAzureDiskVolumeSource: WireMessage = {
  1: ['diskName', 'string'],
  2: ['diskURI', 'string'],
  3: ['cachingMode', 'string'],
  4: ['fsType', 'string'],
  5: ['readOnly', 'bool'],
  6: ['kind', 'string'],
};

const ofPhotonPersistentDiskVolumeSource: WireMessage = {
  1: ['pdID', 'string'],
  2: ['fsType', 'string-or-none'],
};

const ofPortworxVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['readOnly', 'flag'],
};

const ofScaleIOVolumeSource: WireMessage = {
  1: ['gateway', 'string'],
  2: ['system', 'string'],
  3: ['secretRef', message(ofLocalObjectReference)],
  4: ['sslEnabled', 'flag'],
  5: ['protectionDomain', 'string-or-none'],
  6: ['storagePool', 'string-or-none'],
  7: ['storageMode', 'string-or-none'],
  8: ['volumeName', 'string-or-none'],
  9: ['fsType', 'string-or-none'],
  10: ['readOnly', 'flag'],
};

const ofSecretProjection: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['items', list(message(ofKeyToPath))],
  4: ['optional', 'bool'],
};

const ofDownwardAPIProjection: WireMessage = {
  1: ['items', list(message(ofDownwardAPIVolumeFile))],
};

const ofConfigMapProjection: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['items', list(message(ofKeyToPath))],
  4: ['optional', 'bool'],
};

const ofServiceAccountTokenProjection: WireMessage = {
  1: ['audience', 'string-or-none'],
  2: ['expirationSeconds', 'int'],
  3: ['path', 'string'],
};

const ofLabelSelectorRequirement: WireMessage = {
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
};

const ofLabelSelector: WireMessage = {
  1: ['matchLabels', map('string')],
  2: ['matchExpressions', list(message(ofLabelSelectorRequirement))],
};

const ofClusterTrustBundleProjection: WireMessage = {
  1: ['name', 'string'],
  2: ['signerName', 'string'],
  3: ['labelSelector', message(ofLabelSelector)],
  4: ['path', 'string'],
  5: ['optional', 'bool'],
};

const ofPodCertificateProjection: WireMessage = {
  1: ['signerName', 'string-or-none'],
  2: ['keyType', 'string-or-none'],
  3: ['maxExpirationSeconds', 'int'],
  4: ['credentialBundlePath', 'string-or-none'],
  5: ['keyPath', 'string-or-none'],
  6: ['certificateChainPath', 'string-or-none'],
  7: ['userAnnotations', map('string')],
};

const ofVolumeProjection: WireMessage = {
  1: ['secret', message(ofSecretProjection)],
  2: ['downwardAPI', message(ofDownwardAPIProjection)],
  3: ['configMap', message(ofConfigMapProjection)],
  4: ['serviceAccountToken', message(ofServiceAccountTokenProjection)],
  5: ['clusterTrustBundle', message(ofClusterTrustBundleProjection)],
  6: ['podCertificate', message(ofPodCertificateProjection)],
};

const ofProjectedVolumeSource: WireMessage = {
  1: ['sources', list(message(ofVolumeProjection))],
  2: ['defaultMode', 'int'],
};

const ofStorageOSVolumeSource: WireMessage = {
  1: ['volumeName', 'string-or-none'],
  2: ['volumeNamespace', 'string-or-none'],
  3: ['fsType', 'string-or-none'],
  4: ['readOnly', 'flag'],
  5: ['secretRef', message(ofLocalObjectReference)],
};

const ofCSIVolumeSource: WireMessage = {
  1: ['driver', 'string'],
  2: ['readOnly', 'bool'],
  3: ['fsType', 'string'],
  4: ['volumeAttributes', map('string')],
  5: ['nodePublishSecretRef', message(ofLocalObjectReference)],
};

const ofVolumeResourceRequirements: WireMessage = {
  1: ['limits', map('quantity')],
  2: ['requests', map('quantity')],
};

const ofTypedLocalObjectReference: WireMessage = {
  1: ['apiGroup', 'string'],
  2: ['kind', 'string'],
  3: ['name', 'string'],
};

const ofTypedObjectReference: WireMessage = {
  1: ['apiGroup', 'string'],
  2: ['kind', 'string'],
  3: ['name', 'string'],
  4: ['namespace', 'string'],
};

const ofPersistentVolumeClaimSpec: WireMessage = {
  1: ['accessModes', list('string')],
  2: ['resources', message(ofVolumeResourceRequirements)],
  3: ['volumeName', 'string-or-none'],
  4: ['selector', message(ofLabelSelector)],
  5: ['storageClassName', 'string'],
  6: ['volumeMode', 'string'],
  7: ['dataSource', message(ofTypedLocalObjectReference)],
  8: ['dataSourceRef', message(ofTypedObjectReference)],
  9: ['volumeAttributesClassName', 'string'],
};

const ofPersistentVolumeClaimTemplate: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPersistentVolumeClaimSpec)],
};

const ofEphemeralVolumeSource: WireMessage = {
  1: ['volumeClaimTemplate', message(ofPersistentVolumeClaimTemplate)],
};

const ofImageVolumeSource: WireMessage = {
  1: ['reference', 'string-or-none'],
  2: ['pullPolicy', 'string-or-none'],
};

const ofVolumeSource: WireMessage = {
  1: ['hostPath', message(ofHostPathVolumeSource)],
  2: ['emptyDir', message(ofEmptyDirVolumeSource)],
  3: ['gcePersistentDisk', message(ofGCEPersistentDiskVolumeSource)],
  4: ['awsElasticBlockStore', message(ofAWSElasticBlockStoreVolumeSource)],
  5: ['gitRepo', message(ofGitRepoVolumeSource)],
  6: ['secret', message(ofSecretVolumeSource)],
  7: ['nfs', message(ofNFSVolumeSource)],
  8: ['iscsi', message(ofISCSIVolumeSource)],
  9: ['glusterfs', message(ofGlusterfsVolumeSource)],
  10: ['persistentVolumeClaim', message(ofPersistentVolumeClaimVolumeSource)],
  11: ['rbd', message(ofRBDVolumeSource)],
  12: ['flexVolume', message(ofFlexVolumeSource)],
  13: ['cinder', message(ofCinderVolumeSource)],
  14: ['cephfs', message(ofCephFSVolumeSource)],
  15: ['flocker', message(ofFlockerVolumeSource)],
  16: ['downwardAPI', message(ofDownwardAPIVolumeSource)],
  17: ['fc', message(ofFCVolumeSource)],
  18: ['azureFile', message(ofAzureFileVolumeSource)],
  19: ['configMap', message(ofConfigMapVolumeSource)],
  20: ['vsphereVolume', message(ofVsphereVirtualDiskVolumeSource)],
  21: ['quobyte', message(ofQuobyteVolumeSource)],
  22: ['azureDisk', message(ofAzureDiskVolumeSource)],
  23: ['photonPersistentDisk', message(ofPhotonPersistentDiskVolumeSource)],
  24: ['portworxVolume', message(ofPortworxVolumeSource)],
  25: ['scaleIO', message(ofScaleIOVolumeSource)],
  26: ['projected', message(ofProjectedVolumeSource)],
  27: ['storageos', message(ofStorageOSVolumeSource)],
  28: ['csi', message(ofCSIVolumeSource)],
  29: ['ephemeral', message(ofEphemeralVolumeSource)],
  30: ['image', message(ofImageVolumeSource)],
};

const ofVolume: WireMessage = {
  1: ['name', 'string'],
  2: ['', message(ofVolumeSource)],
};

const ofContainerPort: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['hostPort', 'int-or-none'],
  3: ['containerPort', 'int'],
  4: ['protocol', 'string-or-none'],
  5: ['hostIP', 'string-or-none'],
};

const ofConfigMapKeySelector: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['key', 'string'],
  3: ['optional', 'bool'],
};

const ofSecretKeySelector: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['key', 'string'],
  3: ['optional', 'bool'],
};

const ofFileKeySelector: WireMessage = {
  1: ['volumeName', 'string'],
  2: ['path', 'string'],
  3: ['key', 'string'],
  4: ['optional', 'bool'],
};

const ofEnvVarSource: WireMessage = {
  1: ['fieldRef', message(ofObjectFieldSelector)],
  2: ['resourceFieldRef', message(ofResourceFieldSelector)],
  3: ['configMapKeyRef', message(ofConfigMapKeySelector)],
  4: ['secretKeyRef', message(ofSecretKeySelector)],
  5: ['fileKeyRef', message(ofFileKeySelector)],
};

const ofEnvVar: WireMessage = {
  1: ['name', 'string'],
  2: ['value', 'string-or-none'],
  3: ['valueFrom', message(ofEnvVarSource)],
};

const ofResourceClaim: WireMessage = {
  1: ['name', 'string'],
  2: ['request', 'string-or-none'],
};

const ofResourceRequirements: WireMessage = {
  1: ['limits', map('quantity')],
  2: ['requests', map('quantity')],
  3: ['claims', list(message(ofResourceClaim))],
};

const ofVolumeMount: WireMessage = {
  1: ['name', 'string'],
  2: ['readOnly', 'flag'],
  3: ['mountPath', 'string'],
  4: ['subPath', 'string-or-none'],
  5: ['mountPropagation', 'string'],
  6: ['subPathExpr', 'string-or-none'],
  7: ['recursiveReadOnly', 'string'],
};

const ofExecAction: WireMessage = {
  1: ['command', list('string')],
};

const ofHTTPHeader: WireMessage = {
  1: ['name', 'string'],
  2: ['value', 'string'],
};

const ofHTTPGetAction: WireMessage = {
  1: ['path', 'string-or-none'],
  2: ['port', 'int-or-string'],
  3: ['host', 'string-or-none'],
  4: ['scheme', 'string-or-none'],
  5: ['httpHeaders', list(message(ofHTTPHeader))],
};

const ofTCPSocketAction: WireMessage = {
  1: ['port', 'int-or-string'],
  2: ['host', 'string-or-none'],
};

const ofGRPCAction: WireMessage = {
  1: ['port', 'int'],
  2: ['service', 'string'],
};

const ofProbeHandler: WireMessage = {
  1: ['exec', message(ofExecAction)],
  2: ['httpGet', message(ofHTTPGetAction)],
  3: ['tcpSocket', message(ofTCPSocketAction)],
  4: ['grpc', message(ofGRPCAction)],
};

const ofProbe: WireMessage = {
  1: ['', message(ofProbeHandler)],
  2: ['initialDelaySeconds', 'int-or-none'],
  3: ['timeoutSeconds', 'int-or-none'],
  4: ['periodSeconds', 'int-or-none'],
  5: ['successThreshold', 'int-or-none'],
  6: ['failureThreshold', 'int-or-none'],
  7: ['terminationGracePeriodSeconds', 'int'],
};

const ofSleepAction: WireMessage = {
  1: ['seconds', 'int'],
};

const ofLifecycleHandler: WireMessage = {
  1: ['exec', message(ofExecAction)],
  2: ['httpGet', message(ofHTTPGetAction)],
  3: ['tcpSocket', message(ofTCPSocketAction)],
  4: ['sleep', message(ofSleepAction)],
};

const ofLifecycle: WireMessage = {
  1: ['postStart', message(ofLifecycleHandler)],
  2: ['preStop', message(ofLifecycleHandler)],
  3: ['stopSignal', 'string'],
};

const ofCapabilities: WireMessage = {
  1: ['add', list('string')],
  2: ['drop', list('string')],
};

const ofSELinuxOptions: WireMessage = {
  1: ['user', 'string-or-none'],
  2: ['role', 'string-or-none'],
  3: ['type', 'string-or-none'],
  4: ['level', 'string-or-none'],
};

const ofWindowsSecurityContextOptions: WireMessage = {
  1: ['gmsaCredentialSpecName', 'string'],
  2: ['gmsaCredentialSpec', 'string'],
  3: ['runAsUserName', 'string'],
  4: ['hostProcess', 'bool'],
};

const ofSeccompProfile: WireMessage = {
  1: ['type', 'string'],
  2: ['localhostProfile', 'string'],
};

const ofAppArmorProfile: WireMessage = {
  1: ['type', 'string'],
  2: ['localhostProfile', 'string'],
};

const ofSecurityContext: WireMessage = {
  1: ['capabilities', message(ofCapabilities)],
  2: ['privileged', 'bool'],
  3: ['seLinuxOptions', message(ofSELinuxOptions)],
  4: ['runAsUser', 'int'],
  5: ['runAsNonRoot', 'bool'],
  6: ['readOnlyRootFilesystem', 'bool'],
  7: ['allowPrivilegeEscalation', 'bool'],
  8: ['runAsGroup', 'int'],
  9: ['procMount', 'string'],
  10: ['windowsOptions', message(ofWindowsSecurityContextOptions)],
  11: ['seccompProfile', message(ofSeccompProfile)],
  12: ['appArmorProfile', message(ofAppArmorProfile)],
};

const ofConfigMapEnvSource: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['optional', 'bool'],
};

const ofSecretEnvSource: WireMessage = {
  1: ['', message(ofLocalObjectReference)],
  2: ['optional', 'bool'],
};

const ofEnvFromSource: WireMessage = {
  1: ['prefix', 'string-or-none'],
  2: ['configMapRef', message(ofConfigMapEnvSource)],
  3: ['secretRef', message(ofSecretEnvSource)],
};

const ofVolumeDevice: WireMessage = {
  1: ['name', 'string'],
  2: ['devicePath', 'string'],
};

const ofContainerResizePolicy: WireMessage = {
  1: ['resourceName', 'string'],
  2: ['restartPolicy', 'string'],
};

const ofContainerRestartRuleOnExitCodes: WireMessage = {
  1: ['operator', 'string-or-none'],
  2: ['values', list('int')],
};

const ofContainerRestartRule: WireMessage = {
  1: ['action', 'string-or-none'],
  2: ['exitCodes', message(ofContainerRestartRuleOnExitCodes)],
};

const ofContainer: WireMessage = {
  1: ['name', 'string'],
  2: ['image', 'string-or-none'],
  3: ['command', list('string')],
  4: ['args', list('string')],
  5: ['workingDir', 'string-or-none'],
  6: ['ports', list(message(ofContainerPort))],
  7: ['env', list(message(ofEnvVar))],
  8: ['resources', message(ofResourceRequirements)],
  9: ['volumeMounts', list(message(ofVolumeMount))],
  10: ['livenessProbe', message(ofProbe)],
  11: ['readinessProbe', message(ofProbe)],
  12: ['lifecycle', message(ofLifecycle)],
  13: ['terminationMessagePath', 'string-or-none'],
  14: ['imagePullPolicy', 'string-or-none'],
  15: ['securityContext', message(ofSecurityContext)],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(message(ofEnvFromSource))],
  20: ['terminationMessagePolicy', 'string-or-none'],
  21: ['volumeDevices', list(message(ofVolumeDevice))],
  22: ['startupProbe', message(ofProbe)],
  23: ['resizePolicy', list(message(ofContainerResizePolicy))],
  24: ['restartPolicy', 'string'],
  25: ['restartPolicyRules', list(message(ofContainerRestartRule))],
};

const ofSysctl: WireMessage = {
  1: ['name', 'string'],
  2: ['value', 'string'],
};

const ofPodSecurityContext: WireMessage = {
  1: ['seLinuxOptions', message(ofSELinuxOptions)],
  2: ['runAsUser', 'int'],
  3: ['runAsNonRoot', 'bool'],
  4: ['supplementalGroups', list('int')],
  5: ['fsGroup', 'int'],
  6: ['runAsGroup', 'int'],
  7: ['sysctls', list(message(ofSysctl))],
  8: ['windowsOptions', message(ofWindowsSecurityContextOptions)],
  9: ['fsGroupChangePolicy', 'string'],
  10: ['seccompProfile', message(ofSeccompProfile)],
  11: ['appArmorProfile', message(ofAppArmorProfile)],
  12: ['supplementalGroupsPolicy', 'string'],
  13: ['seLinuxChangePolicy', 'string'],
};

const ofNodeSelectorRequirement: WireMessage = {
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
};

const ofNodeSelectorTerm: WireMessage = {
  1: ['matchExpressions', list(message(ofNodeSelectorRequirement))],
  2: ['matchFields', list(message(ofNodeSelectorRequirement))],
};

const ofNodeSelector: WireMessage = {
  1: ['nodeSelectorTerms', list(message(ofNodeSelectorTerm))],
};

const ofPreferredSchedulingTerm: WireMessage = {
  1: ['weight', 'int'],
  2: ['preference', message(ofNodeSelectorTerm)],
};

const ofNodeAffinity: WireMessage = {
  1: ['requiredDuringSchedulingIgnoredDuringExecution', message(ofNodeSelector)],
  2: ['preferredDuringSchedulingIgnoredDuringExecution', list(message(ofPreferredSchedulingTerm))],
};

const ofPodAffinityTerm: WireMessage = {
  1: ['labelSelector', message(ofLabelSelector)],
  2: ['namespaces', list('string')],
  3: ['topologyKey', 'string'],
  4: ['namespaceSelector', message(ofLabelSelector)],
  5: ['matchLabelKeys', list('string')],
  6: ['mismatchLabelKeys', list('string')],
};

const ofWeightedPodAffinityTerm: WireMessage = {
  1: ['weight', 'int'],
  2: ['podAffinityTerm', message(ofPodAffinityTerm)],
};

const ofPodAffinity: WireMessage = {
  1: ['requiredDuringSchedulingIgnoredDuringExecution', list(message(ofPodAffinityTerm))],
  2: ['preferredDuringSchedulingIgnoredDuringExecution', list(message(ofWeightedPodAffinityTerm))],
};

const ofPodAntiAffinity: WireMessage = {
  1: ['requiredDuringSchedulingIgnoredDuringExecution', list(message(ofPodAffinityTerm))],
  2: ['preferredDuringSchedulingIgnoredDuringExecution', list(message(ofWeightedPodAffinityTerm))],
};

const ofAffinity: WireMessage = {
  1: ['nodeAffinity', message(ofNodeAffinity)],
  2: ['podAffinity', message(ofPodAffinity)],
  3: ['podAntiAffinity', message(ofPodAntiAffinity)],
};

const ofToleration: WireMessage = {
  1: ['key', 'string-or-none'],
  2: ['operator', 'string-or-none'],
  3: ['value', 'string-or-none'],
  4: ['effect', 'string-or-none'],
  5: ['tolerationSeconds', 'int'],
};

const ofHostAlias: WireMessage = {
  1: ['ip', 'string'],
  2: ['hostnames', list('string')],
};

const ofPodDNSConfigOption: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['value', 'string'],
};

const ofPodDNSConfig: WireMessage = {
  1: ['nameservers', list('string')],
  2: ['searches', list('string')],
  3: ['options', list(message(ofPodDNSConfigOption))],
};

const ofPodReadinessGate: WireMessage = {
  1: ['conditionType', 'string'],
};

const ofTopologySpreadConstraint: WireMessage = {
  1: ['maxSkew', 'int'],
  2: ['topologyKey', 'string'],
  3: ['whenUnsatisfiable', 'string'],
  4: ['labelSelector', message(ofLabelSelector)],
  5: ['minDomains', 'int'],
  6: ['nodeAffinityPolicy', 'string'],
  7: ['nodeTaintsPolicy', 'string'],
  8: ['matchLabelKeys', list('string')],
};

const ofEphemeralContainerCommon: WireMessage = {
  1: ['name', 'string'],
  2: ['image', 'string-or-none'],
  3: ['command', list('string')],
  4: ['args', list('string')],
  5: ['workingDir', 'string-or-none'],
  6: ['ports', list(message(ofContainerPort))],
  7: ['env', list(message(ofEnvVar))],
  8: ['resources', message(ofResourceRequirements)],
  9: ['volumeMounts', list(message(ofVolumeMount))],
  10: ['livenessProbe', message(ofProbe)],
  11: ['readinessProbe', message(ofProbe)],
  12: ['lifecycle', message(ofLifecycle)],
  13: ['terminationMessagePath', 'string-or-none'],
  14: ['imagePullPolicy', 'string-or-none'],
  15: ['securityContext', message(ofSecurityContext)],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(message(ofEnvFromSource))],
  20: ['terminationMessagePolicy', 'string-or-none'],
  21: ['volumeDevices', list(message(ofVolumeDevice))],
  22: ['startupProbe', message(ofProbe)],
  23: ['resizePolicy', list(message(ofContainerResizePolicy))],
  24: ['restartPolicy', 'string'],
  25: ['restartPolicyRules', list(message(ofContainerRestartRule))],
};

const ofEphemeralContainer: WireMessage = {
  1: ['', message(ofEphemeralContainerCommon)],
  2: ['targetContainerName', 'string-or-none'],
};

const ofPodOS: WireMessage = {
  1: ['name', 'string'],
};

const ofPodSchedulingGate: WireMessage = {
  1: ['name', 'string'],
};

const ofPodResourceClaim: WireMessage = {
  1: ['name', 'string'],
  3: ['resourceClaimName', 'string'],
  4: ['resourceClaimTemplateName', 'string'],
};

const ofPodSchedulingGroup: WireMessage = {
  1: ['podGroupName', 'string'],
};

const ofPodSpec: WireMessage = {
  1: ['volumes', list(message(ofVolume))],
  2: ['containers', list(message(ofContainer))],
  3: ['restartPolicy', 'string-or-none'],
  4: ['terminationGracePeriodSeconds', 'int'],
  5: ['activeDeadlineSeconds', 'int'],
  6: ['dnsPolicy', 'string-or-none'],
  7: ['nodeSelector', map('string')],
  8: ['serviceAccountName', 'string-or-none'],
  9: ['serviceAccount', 'string-or-none'],
  10: ['nodeName', 'string-or-none'],
  11: ['hostNetwork', 'flag'],
  12: ['hostPID', 'flag'],
  13: ['hostIPC', 'flag'],
  14: ['securityContext', message(ofPodSecurityContext)],
  15: ['imagePullSecrets', list(message(ofLocalObjectReference))],
  16: ['hostname', 'string-or-none'],
  17: ['subdomain', 'string-or-none'],
  18: ['affinity', message(ofAffinity)],
  19: ['schedulerName', 'string-or-none'],
  20: ['initContainers', list(message(ofContainer))],
  21: ['automountServiceAccountToken', 'bool'],
  22: ['tolerations', list(message(ofToleration))],
  23: ['hostAliases', list(message(ofHostAlias))],
  24: ['priorityClassName', 'string-or-none'],
  25: ['priority', 'int'],
  26: ['dnsConfig', message(ofPodDNSConfig)],
  27: ['shareProcessNamespace', 'bool'],
  28: ['readinessGates', list(message(ofPodReadinessGate))],
  29: ['runtimeClassName', 'string'],
  30: ['enableServiceLinks', 'bool'],
  31: ['preemptionPolicy', 'string'],
  32: ['overhead', map('quantity')],
  33: ['topologySpreadConstraints', list(message(ofTopologySpreadConstraint))],
  34: ['ephemeralContainers', list(message(ofEphemeralContainer))],
  35: ['setHostnameAsFQDN', 'bool'],
  36: ['os', message(ofPodOS)],
  37: ['hostUsers', 'bool'],
  38: ['schedulingGates', list(message(ofPodSchedulingGate))],
  39: ['resourceClaims', list(message(ofPodResourceClaim))],
  40: ['resources', message(ofResourceRequirements)],
  41: ['hostnameOverride', 'string'],
  43: ['schedulingGroup', message(ofPodSchedulingGroup)],
};

const ofPodCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  3: ['lastProbeTime', 'time'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string-or-none'],
  6: ['message', 'string-or-none'],
  7: ['observedGeneration', 'int-or-none'],
};

const ofContainerStateWaiting: WireMessage = {
  1: ['reason', 'string-or-none'],
  2: ['message', 'string-or-none'],
};

const ofContainerStateRunning: WireMessage = {
  1: ['startedAt', 'time'],
};

const ofContainerStateTerminated: WireMessage = {
  1: ['exitCode', 'int'],
  2: ['signal', 'int-or-none'],
  3: ['reason', 'string-or-none'],
  4: ['message', 'string-or-none'],
  5: ['startedAt', 'time'],
  6: ['finishedAt', 'time'],
  7: ['containerID', 'string-or-none'],
};

const ofContainerState: WireMessage = {
  1: ['waiting', message(ofContainerStateWaiting)],
  2: ['running', message(ofContainerStateRunning)],
  3: ['terminated', message(ofContainerStateTerminated)],
};

const ofImageVolumeStatus: WireMessage = {
  1: ['imageRef', 'string-or-none'],
};

const ofVolumeStatus: WireMessage = {
  1: ['image', message(ofImageVolumeStatus)],
};

const ofVolumeMountStatus: WireMessage = {
  1: ['name', 'string'],
  2: ['mountPath', 'string'],
  3: ['readOnly', 'flag'],
  4: ['recursiveReadOnly', 'string'],
  5: ['volumeStatus', message(ofVolumeStatus)],
};

const ofLinuxContainerUser: WireMessage = {
  1: ['uid', 'int'],
  2: ['gid', 'int'],
  3: ['supplementalGroups', list('int')],
};

const ofContainerUser: WireMessage = {
  1: ['linux', message(ofLinuxContainerUser)],
};

const ofResourceHealth: WireMessage = {
  1: ['resourceID', 'string'],
  2: ['health', 'string-or-none'],
  6: ['message', 'string'],
};

const ofResourceStatus: WireMessage = {
  1: ['name', 'string'],
  2: ['resources', list(message(ofResourceHealth))],
};

const ofContainerStatus: WireMessage = {
  1: ['name', 'string'],
  2: ['state', message(ofContainerState)],
  3: ['lastState', message(ofContainerState)],
  4: ['ready', 'bool'],
  5: ['restartCount', 'int'],
  6: ['image', 'string'],
  7: ['imageID', 'string'],
  8: ['containerID', 'string-or-none'],
  9: ['started', 'bool'],
  10: ['allocatedResources', map('quantity')],
  11: ['resources', message(ofResourceRequirements)],
  12: ['volumeMounts', list(message(ofVolumeMountStatus))],
  13: ['user', message(ofContainerUser)],
  14: ['allocatedResourcesStatus', list(message(ofResourceStatus))],
  15: ['stopSignal', 'string'],
};

const ofPodIP: WireMessage = {
  1: ['ip', 'string'],
};

const ofPodResourceClaimStatus: WireMessage = {
  1: ['name', 'string'],
  2: ['resourceClaimName', 'string'],
};

const ofHostIP: WireMessage = {
  1: ['ip', 'string'],
};

const ofContainerExtendedResourceRequest: WireMessage = {
  1: ['containerName', 'string'],
  2: ['resourceName', 'string'],
  3: ['requestName', 'string'],
};

const ofPodExtendedResourceClaimStatus: WireMessage = {
  1: ['requestMappings', list(message(ofContainerExtendedResourceRequest))],
  2: ['resourceClaimName', 'string'],
};

const ofNodeAllocatableResourceClaimStatus: WireMessage = {
  1: ['resourceClaimName', 'string'],
  2: ['containers', list('string')],
  3: ['resources', map('quantity')],
};

const ofPodStatus: WireMessage = {
  1: ['phase', 'string-or-none'],
  2: ['conditions', list(message(ofPodCondition))],
  3: ['message', 'string-or-none'],
  4: ['reason', 'string-or-none'],
  5: ['hostIP', 'string-or-none'],
  6: ['podIP', 'string-or-none'],
  7: ['startTime', 'time'],
  8: ['containerStatuses', list(message(ofContainerStatus))],
  9: ['qosClass', 'string-or-none'],
  10: ['initContainerStatuses', list(message(ofContainerStatus))],
  11: ['nominatedNodeName', 'string-or-none'],
  12: ['podIPs', list(message(ofPodIP))],
  13: ['ephemeralContainerStatuses', list(message(ofContainerStatus))],
  14: ['resize', 'string-or-none'],
  15: ['resourceClaimStatuses', list(message(ofPodResourceClaimStatus))],
  16: ['hostIPs', list(message(ofHostIP))],
  17: ['observedGeneration', 'int-or-none'],
  18: ['extendedResourceClaimStatus', message(ofPodExtendedResourceClaimStatus)],
  19: ['allocatedResources', map('quantity')],
  20: ['resources', message(ofResourceRequirements)],
  21: ['nodeAllocatableResourceClaimStatuses', list(message(ofNodeAllocatableResourceClaimStatus))],
};

const ofPod: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPodSpec)],
  3: ['status', message(ofPodStatus)],
};

const ofTaint: WireMessage = {
  1: ['key', 'string'],
  2: ['value', 'string-or-none'],
  3: ['effect', 'string'],
  4: ['timeAdded', 'time'],
};

const ofConfigMapNodeConfigSource: WireMessage = {
  1: ['namespace', 'string'],
  2: ['name', 'string'],
  3: ['uid', 'string-or-none'],
  4: ['resourceVersion', 'string-or-none'],
  5: ['kubeletConfigKey', 'string'],
};

const ofNodeConfigSource: WireMessage = {
  2: ['configMap', message(ofConfigMapNodeConfigSource)],
};

const ofNodeSpec: WireMessage = {
  1: ['podCIDR', 'string-or-none'],
  2: ['externalID', 'string-or-none'],
  3: ['providerID', 'string-or-none'],
  4: ['unschedulable', 'flag'],
  5: ['taints', list(message(ofTaint))],
  6: ['configSource', message(ofNodeConfigSource)],
  7: ['podCIDRs', list('string')],
};

const ofNodeCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  3: ['lastHeartbeatTime', 'time'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string-or-none'],
  6: ['message', 'string-or-none'],
};

const ofNodeAddress: WireMessage = {
  1: ['type', 'string'],
  2: ['address', 'string'],
};

const ofDaemonEndpoint: WireMessage = {
  1: ['Port', 'int'],
};

const ofNodeDaemonEndpoints: WireMessage = {
  1: ['kubeletEndpoint', message(ofDaemonEndpoint)],
};

const ofNodeSwapStatus: WireMessage = {
  1: ['capacity', 'int'],
};

const ofNodeSystemInfo: WireMessage = {
  1: ['machineID', 'string'],
  2: ['systemUUID', 'string'],
  3: ['bootID', 'string'],
  4: ['kernelVersion', 'string'],
  5: ['osImage', 'string'],
  6: ['containerRuntimeVersion', 'string'],
  7: ['kubeletVersion', 'string'],
  8: ['kubeProxyVersion', 'string'],
  9: ['operatingSystem', 'string'],
  10: ['architecture', 'string'],
  11: ['swap', message(ofNodeSwapStatus)],
};

const ofContainerImage: WireMessage = {
  1: ['names', list('string')],
  2: ['sizeBytes', 'int-or-none'],
};

const ofAttachedVolume: WireMessage = {
  1: ['name', 'string'],
  2: ['devicePath', 'string'],
};

const ofNodeConfigStatus: WireMessage = {
  1: ['assigned', message(ofNodeConfigSource)],
  2: ['active', message(ofNodeConfigSource)],
  3: ['lastKnownGood', message(ofNodeConfigSource)],
  4: ['error', 'string-or-none'],
};

const ofNodeRuntimeHandlerFeatures: WireMessage = {
  1: ['recursiveReadOnlyMounts', 'bool'],
  2: ['userNamespaces', 'bool'],
};

const ofNodeRuntimeHandler: WireMessage = {
  1: ['name', 'string'],
  2: ['features', message(ofNodeRuntimeHandlerFeatures)],
};

const ofNodeFeatures: WireMessage = {
  1: ['supplementalGroupsPolicy', 'bool'],
};

const ofNodeStatus: WireMessage = {
  1: ['capacity', map('quantity')],
  2: ['allocatable', map('quantity')],
  3: ['phase', 'string-or-none'],
  4: ['conditions', list(message(ofNodeCondition))],
  5: ['addresses', list(message(ofNodeAddress))],
  6: ['daemonEndpoints', message(ofNodeDaemonEndpoints)],
  7: ['nodeInfo', message(ofNodeSystemInfo)],
  8: ['images', list(message(ofContainerImage))],
  9: ['volumesInUse', list('string')],
  10: ['volumesAttached', list(message(ofAttachedVolume))],
  11: ['config', message(ofNodeConfigStatus)],
  12: ['runtimeHandlers', list(message(ofNodeRuntimeHandler))],
  13: ['features', message(ofNodeFeatures)],
  14: ['declaredFeatures', list('string')],
};

const ofNode: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofNodeSpec)],
  3: ['status', message(ofNodeStatus)],
};

const ofServicePort: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['protocol', 'string-or-none'],
  3: ['port', 'int'],
  4: ['targetPort', 'int-or-string'],
  5: ['nodePort', 'int-or-none'],
  6: ['appProtocol', 'string'],
};

const ofClientIPConfig: WireMessage = {
  1: ['timeoutSeconds', 'int'],
};

const ofSessionAffinityConfig: WireMessage = {
  1: ['clientIP', message(ofClientIPConfig)],
};

const ofServiceSpec: WireMessage = {
  1: ['ports', list(message(ofServicePort))],
  2: ['selector', map('string')],
  3: ['clusterIP', 'string-or-none'],
  4: ['type', 'string-or-none'],
  5: ['externalIPs', list('string')],
  7: ['sessionAffinity', 'string-or-none'],
  8: ['loadBalancerIP', 'string-or-none'],
  9: ['loadBalancerSourceRanges', list('string')],
  10: ['externalName', 'string-or-none'],
  11: ['externalTrafficPolicy', 'string-or-none'],
  12: ['healthCheckNodePort', 'int-or-none'],
  13: ['publishNotReadyAddresses', 'flag'],
  14: ['sessionAffinityConfig', message(ofSessionAffinityConfig)],
  17: ['ipFamilyPolicy', 'string'],
  18: ['clusterIPs', list('string')],
  19: ['ipFamilies', list('string')],
  20: ['allocateLoadBalancerNodePorts', 'bool'],
  21: ['loadBalancerClass', 'string'],
  22: ['internalTrafficPolicy', 'string'],
  23: ['trafficDistribution', 'string'],
};

const ofPortStatus: WireMessage = {
  1: ['port', 'int'],
  2: ['protocol', 'string'],
  3: ['error', 'string'],
};

const ofLoadBalancerIngress: WireMessage = {
  1: ['ip', 'string-or-none'],
  2: ['hostname', 'string-or-none'],
  3: ['ipMode', 'string'],
  4: ['ports', list(message(ofPortStatus))],
};

const ofLoadBalancerStatus: WireMessage = {
  1: ['ingress', list(message(ofLoadBalancerIngress))],
};

const ofCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  3: ['observedGeneration', 'int-or-none'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string'],
  6: ['message', 'string'],
};

const ofServiceStatus: WireMessage = {
  1: ['loadBalancer', message(ofLoadBalancerStatus)],
  2: ['conditions', list(message(ofCondition))],
};

const ofService: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofServiceSpec)],
  3: ['status', message(ofServiceStatus)],
};

const ofConfigMap: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['data', map('string')],
  3: ['binaryData', map('bytes')],
  4: ['immutable', 'bool'],
};

const ofSecret: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['data', map('bytes')],
  3: ['type', 'string-or-none'],
  4: ['stringData', map('string')],
  5: ['immutable', 'bool'],
};

const ofObjectReference: WireMessage = {
  1: ['kind', 'string-or-none'],
  2: ['namespace', 'string-or-none'],
  3: ['name', 'string-or-none'],
  4: ['uid', 'string-or-none'],
  5: ['apiVersion', 'string-or-none'],
  6: ['resourceVersion', 'string-or-none'],
  7: ['fieldPath', 'string-or-none'],
};

const ofServiceAccount: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['secrets', list(message(ofObjectReference))],
  3: ['imagePullSecrets', list(message(ofLocalObjectReference))],
  4: ['automountServiceAccountToken', 'bool'],
};

const ofGlusterfsPersistentVolumeSource: WireMessage = {
  1: ['endpoints', 'string'],
  2: ['path', 'string'],
  3: ['readOnly', 'flag'],
  4: ['endpointsNamespace', 'string'],
};

const ofSecretReference: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['namespace', 'string-or-none'],
};

const ofRBDPersistentVolumeSource: WireMessage = {
  1: ['monitors', list('string')],
  2: ['image', 'string'],
  3: ['fsType', 'string-or-none'],
  4: ['pool', 'string-or-none'],
  5: ['user', 'string-or-none'],
  6: ['keyring', 'string-or-none'],
  7: ['secretRef', message(ofSecretReference)],
  8: ['readOnly', 'flag'],
};

const ofISCSIPersistentVolumeSource: WireMessage = {
  1: ['targetPortal', 'string'],
  2: ['iqn', 'string'],
  3: ['lun', 'int'],
  4: ['iscsiInterface', 'string-or-none'],
  5: ['fsType', 'string-or-none'],
  6: ['readOnly', 'flag'],
  7: ['portals', list('string')],
  8: ['chapAuthDiscovery', 'flag'],
  10: ['secretRef', message(ofSecretReference)],
  11: ['chapAuthSession', 'flag'],
  12: ['initiatorName', 'string'],
};

const ofCinderPersistentVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['readOnly', 'flag'],
  4: ['secretRef', message(ofSecretReference)],
};

const ofCephFSPersistentVolumeSource: WireMessage = {
  1: ['monitors', list('string')],
  2: ['path', 'string-or-none'],
  3: ['user', 'string-or-none'],
  4: ['secretFile', 'string-or-none'],
  5: ['secretRef', message(ofSecretReference)],
  6: ['readOnly', 'flag'],
};

const ofFlexPersistentVolumeSource: WireMessage = {
  1: ['driver', 'string'],
  2: ['fsType', 'string-or-none'],
  3: ['secretRef', message(ofSecretReference)],
  4: ['readOnly', 'flag'],
  5: ['options', map('string')],
};

const ofAzureFilePersistentVolumeSource: WireMessage = {
  1: ['secretName', 'string'],
  2: ['shareName', 'string'],
  3: ['readOnly', 'flag'],
  4: ['secretNamespace', 'string'],
};

const ofScaleIOPersistentVolumeSource: WireMessage = {
  1: ['gateway', 'string'],
  2: ['system', 'string'],
  3: ['secretRef', message(ofSecretReference)],
  4: ['sslEnabled', 'flag'],
  5: ['protectionDomain', 'string-or-none'],
  6: ['storagePool', 'string-or-none'],
  7: ['storageMode', 'string-or-none'],
  8: ['volumeName', 'string-or-none'],
  9: ['fsType', 'string-or-none'],
  10: ['readOnly', 'flag'],
};

const ofLocalVolumeSource: WireMessage = {
  1: ['path', 'string'],
  2: ['fsType', 'string'],
};

const ofStorageOSPersistentVolumeSource: WireMessage = {
  1: ['volumeName', 'string-or-none'],
  2: ['volumeNamespace', 'string-or-none'],
  3: ['fsType', 'string-or-none'],
  4: ['readOnly', 'flag'],
  5: ['secretRef', message(ofObjectReference)],
};

const ofCSIPersistentVolumeSource: WireMessage = {
  1: ['driver', 'string'],
  2: ['volumeHandle', 'string'],
  3: ['readOnly', 'flag'],
  4: ['fsType', 'string-or-none'],
  5: ['volumeAttributes', map('string')],
  6: ['controllerPublishSecretRef', message(ofSecretReference)],
  7: ['nodeStageSecretRef', message(ofSecretReference)],
  8: ['nodePublishSecretRef', message(ofSecretReference)],
  9: ['controllerExpandSecretRef', message(ofSecretReference)],
  10: ['nodeExpandSecretRef', message(ofSecretReference)],
};

const ofPersistentVolumeSource: WireMessage = {
  1: ['gcePersistentDisk', message(ofGCEPersistentDiskVolumeSource)],
  2: ['awsElasticBlockStore', message(ofAWSElasticBlockStoreVolumeSource)],
  3: ['hostPath', message(ofHostPathVolumeSource)],
  4: ['glusterfs', message(ofGlusterfsPersistentVolumeSource)],
  5: ['nfs', message(ofNFSVolumeSource)],
  6: ['rbd', message(ofRBDPersistentVolumeSource)],
  7: ['iscsi', message(ofISCSIPersistentVolumeSource)],
  8: ['cinder', message(ofCinderPersistentVolumeSource)],
  9: ['cephfs', message(ofCephFSPersistentVolumeSource)],
  10: ['fc', message(ofFCVolumeSource)],
  11: ['flocker', message(ofFlockerVolumeSource)],
  12: ['flexVolume', message(ofFlexPersistentVolumeSource)],
  13: ['azureFile', message(ofAzureFilePersistentVolumeSource)],
  14: ['vsphereVolume', message(ofVsphereVirtualDiskVolumeSource)],
  15: ['quobyte', message(ofQuobyteVolumeSource)],
  16: ['azureDisk', message(ofAzureDiskVolumeSource)],
  17: ['photonPersistentDisk', message(ofPhotonPersistentDiskVolumeSource)],
  18: ['portworxVolume', message(ofPortworxVolumeSource)],
  19: ['scaleIO', message(ofScaleIOPersistentVolumeSource)],
  20: ['local', message(ofLocalVolumeSource)],
  21: ['storageos', message(ofStorageOSPersistentVolumeSource)],
  22: ['csi', message(ofCSIPersistentVolumeSource)],
};

const ofVolumeNodeAffinity: WireMessage = {
  1: ['required', message(ofNodeSelector)],
};

const ofPersistentVolumeSpec: WireMessage = {
  1: ['capacity', map('quantity')],
  2: ['', message(ofPersistentVolumeSource)],
  3: ['accessModes', list('string')],
  4: ['claimRef', message(ofObjectReference)],
  5: ['persistentVolumeReclaimPolicy', 'string-or-none'],
  6: ['storageClassName', 'string-or-none'],
  7: ['mountOptions', list('string')],
  8: ['volumeMode', 'string'],
  9: ['nodeAffinity', message(ofVolumeNodeAffinity)],
  10: ['volumeAttributesClassName', 'string'],
};

const ofPersistentVolumeStatus: WireMessage = {
  1: ['phase', 'string-or-none'],
  2: ['message', 'string-or-none'],
  3: ['reason', 'string-or-none'],
  4: ['lastPhaseTransitionTime', 'time'],
};

const ofPersistentVolume: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPersistentVolumeSpec)],
  3: ['status', message(ofPersistentVolumeStatus)],
};

const ofPersistentVolumeClaimCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  3: ['lastProbeTime', 'time'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string-or-none'],
  6: ['message', 'string-or-none'],
};

const ofModifyVolumeStatus: WireMessage = {
  1: ['targetVolumeAttributesClassName', 'string-or-none'],
  2: ['status', 'string'],
};

const ofPersistentVolumeClaimStatus: WireMessage = {
  1: ['phase', 'string-or-none'],
  2: ['accessModes', list('string')],
  3: ['capacity', map('quantity')],
  4: ['conditions', list(message(ofPersistentVolumeClaimCondition))],
  5: ['allocatedResources', map('quantity')],
  7: ['allocatedResourceStatuses', map('string')],
  8: ['currentVolumeAttributesClassName', 'string'],
  9: ['modifyVolumeStatus', message(ofModifyVolumeStatus)],
};

const ofPersistentVolumeClaim: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPersistentVolumeClaimSpec)],
  3: ['status', message(ofPersistentVolumeClaimStatus)],
};

const ofEventSource: WireMessage = {
  1: ['component', 'string-or-none'],
  2: ['host', 'string-or-none'],
};

const ofEventSeries: WireMessage = {
  1: ['count', 'int-or-none'],
  2: ['lastObservedTime', 'micro-time'],
};

const ofEvent: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['involvedObject', message(ofObjectReference)],
  3: ['reason', 'string-or-none'],
  4: ['message', 'string-or-none'],
  5: ['source', message(ofEventSource)],
  6: ['firstTimestamp', 'time'],
  7: ['lastTimestamp', 'time'],
  8: ['count', 'int-or-none'],
  9: ['type', 'string-or-none'],
  10: ['eventTime', 'micro-time'],
  11: ['series', message(ofEventSeries)],
  12: ['action', 'string-or-none'],
  13: ['related', message(ofObjectReference)],
  14: ['reportingComponent', 'string'],
  15: ['reportingInstance', 'string'],
};

const ofShardInfo: WireMessage = {
  1: ['selector', 'string'],
};

const ofListMeta: WireMessage = {
  1: ['selfLink', 'string-or-none'],
  2: ['resourceVersion', 'string-or-none'],
  3: ['continue', 'string-or-none'],
  4: ['remainingItemCount', 'int'],
  5: ['shardInfo', message(ofShardInfo)],
};

const ofStatusCause: WireMessage = {
  1: ['reason', 'string-or-none'],
  2: ['message', 'string-or-none'],
  3: ['field', 'string-or-none'],
};

const ofStatusDetails: WireMessage = {
  1: ['name', 'string-or-none'],
  2: ['group', 'string-or-none'],
  3: ['kind', 'string-or-none'],
  4: ['causes', list(message(ofStatusCause))],
  5: ['retryAfterSeconds', 'int-or-none'],
  6: ['uid', 'string-or-none'],
};

const ofStatus: WireMessage = {
  1: ['metadata', message(ofListMeta)],
  2: ['status', 'string-or-none'],
  3: ['message', 'string-or-none'],
  4: ['reason', 'string-or-none'],
  5: ['details', message(ofStatusDetails)],
  6: ['code', 'int-or-none'],
};

const ofLeaseSpec: WireMessage = {
  1: ['holderIdentity', 'string'],
  2: ['leaseDurationSeconds', 'int'],
  3: ['acquireTime', 'micro-time'],
  4: ['renewTime', 'micro-time'],
  5: ['leaseTransitions', 'int'],
  6: ['strategy', 'string'],
  7: ['preferredHolder', 'string'],
};

const ofLease: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofLeaseSpec)],
};

const ofOverhead: WireMessage = {
  1: ['podFixed', map('quantity')],
};

const ofScheduling: WireMessage = {
  1: ['nodeSelector', map('string')],
  2: ['tolerations', list(message(ofToleration))],
};

const ofRuntimeClass: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['handler', 'string'],
  3: ['overhead', message(ofOverhead)],
  4: ['scheduling', message(ofScheduling)],
};

const ofVolumeNodeResources: WireMessage = {
  1: ['count', 'int'],
};

const ofCSINodeDriver: WireMessage = {
  1: ['name', 'string'],
  2: ['nodeID', 'string'],
  3: ['topologyKeys', list('string')],
  4: ['allocatable', message(ofVolumeNodeResources)],
};

const ofCSINodeSpec: WireMessage = {
  1: ['drivers', list(message(ofCSINodeDriver))],
};

const ofCSINode: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofCSINodeSpec)],
};

const ofCSIDriverTokenRequest: WireMessage = {
  1: ['audience', 'string'],
  2: ['expirationSeconds', 'int'],
};

const ofCSIDriverSpec: WireMessage = {
  1: ['attachRequired', 'bool'],
  2: ['podInfoOnMount', 'bool'],
  3: ['volumeLifecycleModes', list('string')],
  4: ['storageCapacity', 'bool'],
  5: ['fsGroupPolicy', 'string'],
  6: ['tokenRequests', list(message(ofCSIDriverTokenRequest))],
  7: ['requiresRepublish', 'bool'],
  8: ['seLinuxMount', 'bool'],
  9: ['nodeAllocatableUpdatePeriodSeconds', 'int'],
  10: ['serviceAccountTokenInSecrets', 'bool'],
  11: ['preventPodSchedulingIfMissing', 'bool'],
};

const ofCSIDriver: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofCSIDriverSpec)],
};

const ofVolumeAttachmentSource: WireMessage = {
  1: ['persistentVolumeName', 'string'],
  2: ['inlineVolumeSpec', message(ofPersistentVolumeSpec)],
};

const ofVolumeAttachmentSpec: WireMessage = {
  1: ['attacher', 'string'],
  2: ['source', message(ofVolumeAttachmentSource)],
  3: ['nodeName', 'string'],
};

const ofVolumeError: WireMessage = {
  1: ['time', 'time'],
  2: ['message', 'string-or-none'],
  3: ['errorCode', 'int'],
};

const ofVolumeAttachmentStatus: WireMessage = {
  1: ['attached', 'bool'],
  2: ['attachmentMetadata', map('string')],
  3: ['attachError', message(ofVolumeError)],
  4: ['detachError', message(ofVolumeError)],
};

const ofVolumeAttachment: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofVolumeAttachmentSpec)],
  3: ['status', message(ofVolumeAttachmentStatus)],
};

const ofCertificateSigningRequestSpec: WireMessage = {
  1: ['request', 'bytes'],
  2: ['username', 'string-or-none'],
  3: ['uid', 'string-or-none'],
  4: ['groups', list('string')],
  5: ['usages', list('string')],
  6: ['extra', map(list('string'))],
  7: ['signerName', 'string'],
  8: ['expirationSeconds', 'int'],
};

const ofCertificateSigningRequestCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['reason', 'string-or-none'],
  3: ['message', 'string-or-none'],
  4: ['lastUpdateTime', 'time'],
  5: ['lastTransitionTime', 'time'],
  6: ['status', 'string'],
};

const ofCertificateSigningRequestStatus: WireMessage = {
  1: ['conditions', list(message(ofCertificateSigningRequestCondition))],
  2: ['certificate', 'bytes-or-none'],
};

const ofCertificateSigningRequest: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofCertificateSigningRequestSpec)],
  3: ['status', message(ofCertificateSigningRequestStatus)],
};

const ofClusterTrustBundleSpec: WireMessage = {
  1: ['signerName', 'string-or-none'],
  2: ['trustBundle', 'string'],
};

const ofClusterTrustBundle: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofClusterTrustBundleSpec)],
};

const ofPodCertificateRequestSpec: WireMessage = {
  1: ['signerName', 'string'],
  2: ['podName', 'string'],
  3: ['podUID', 'string'],
  4: ['serviceAccountName', 'string'],
  5: ['serviceAccountUID', 'string'],
  6: ['nodeName', 'string'],
  7: ['nodeUID', 'string'],
  8: ['maxExpirationSeconds', 'int'],
  9: ['pkixPublicKey', 'bytes'],
  10: ['proofOfPossession', 'bytes'],
  11: ['unverifiedUserAnnotations', map('string')],
  12: ['stubPKCS10Request', 'bytes'],
};

const ofPodCertificateRequestStatus: WireMessage = {
  1: ['conditions', list(message(ofCondition))],
  2: ['certificateChain', 'string-or-none'],
  4: ['notBefore', 'time'],
  5: ['beginRefreshAt', 'time'],
  6: ['notAfter', 'time'],
};

const ofPodCertificateRequest: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPodCertificateRequestSpec)],
  3: ['status', message(ofPodCertificateRequestStatus)],
};

const ofBoundObjectReference: WireMessage = {
  1: ['kind', 'string-or-none'],
  2: ['apiVersion', 'string-or-none'],
  3: ['name', 'string-or-none'],
  4: ['uid', 'string-or-none'],
};

const ofTokenRequestSpec: WireMessage = {
  1: ['audiences', list('string')],
  3: ['boundObjectRef', message(ofBoundObjectReference)],
  4: ['expirationSeconds', 'int'],
};

const ofTokenRequestStatus: WireMessage = {
  1: ['token', 'string'],
  2: ['expirationTimestamp', 'time'],
};

const ofTokenRequest: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofTokenRequestSpec)],
  3: ['status', message(ofTokenRequestStatus)],
};

const ofTokenReviewSpec: WireMessage = {
  1: ['token', 'string-or-none'],
  2: ['audiences', list('string')],
};

const ofUserInfo: WireMessage = {
  1: ['username', 'string-or-none'],
  2: ['uid', 'string-or-none'],
  3: ['groups', list('string')],
  4: ['extra', map(list('string'))],
};

const ofTokenReviewStatus: WireMessage = {
  1: ['authenticated', 'flag'],
  2: ['user', message(ofUserInfo)],
  3: ['error', 'string-or-none'],
  4: ['audiences', list('string')],
};

const ofTokenReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofTokenReviewSpec)],
  3: ['status', message(ofTokenReviewStatus)],
};

const ofFieldSelectorRequirement: WireMessage = {
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
};

const ofFieldSelectorAttributes: WireMessage = {
  1: ['rawSelector', 'string-or-none'],
  2: ['requirements', list(message(ofFieldSelectorRequirement))],
};

const ofLabelSelectorAttributes: WireMessage = {
  1: ['rawSelector', 'string-or-none'],
  2: ['requirements', list(message(ofLabelSelectorRequirement))],
};

const ofResourceAttributes: WireMessage = {
  1: ['namespace', 'string-or-none'],
  2: ['verb', 'string-or-none'],
  3: ['group', 'string-or-none'],
  4: ['version', 'string-or-none'],
  5: ['resource', 'string-or-none'],
  6: ['subresource', 'string-or-none'],
  7: ['name', 'string-or-none'],
  8: ['fieldSelector', message(ofFieldSelectorAttributes)],
  9: ['labelSelector', message(ofLabelSelectorAttributes)],
};

const ofNonResourceAttributes: WireMessage = {
  1: ['path', 'string-or-none'],
  2: ['verb', 'string-or-none'],
};

const ofSubjectAccessReviewSpec: WireMessage = {
  1: ['resourceAttributes', message(ofResourceAttributes)],
  2: ['nonResourceAttributes', message(ofNonResourceAttributes)],
  3: ['user', 'string-or-none'],
  4: ['groups', list('string')],
  5: ['extra', map(list('string'))],
  6: ['uid', 'string-or-none'],
};

const ofSubjectAccessReviewStatus: WireMessage = {
  1: ['allowed', 'bool'],
  2: ['reason', 'string-or-none'],
  3: ['evaluationError', 'string-or-none'],
  4: ['denied', 'flag'],
};

const ofSubjectAccessReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofSubjectAccessReviewSpec)],
  3: ['status', message(ofSubjectAccessReviewStatus)],
};

const ofPreconditions: WireMessage = {
  1: ['uid', 'string'],
  2: ['resourceVersion', 'string'],
};

const ofDeleteOptions: WireMessage = {
  1: ['gracePeriodSeconds', 'int'],
  2: ['preconditions', message(ofPreconditions)],
  3: ['orphanDependents', 'bool'],
  4: ['propagationPolicy', 'string'],
  5: ['dryRun', list('string')],
  6: ['ignoreStoreReadErrorWithClusterBreakingPotential', 'bool'],
};

const ofNamespaceSpec: WireMessage = {
  1: ['finalizers', list('string')],
};

const ofNamespaceCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string-or-none'],
  6: ['message', 'string-or-none'],
};

const ofNamespaceStatus: WireMessage = {
  1: ['phase', 'string-or-none'],
  2: ['conditions', list(message(ofNamespaceCondition))],
};

const ofNamespace: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofNamespaceSpec)],
  3: ['status', message(ofNamespaceStatus)],
};

const ofScopedResourceSelectorRequirement: WireMessage = {
  1: ['scopeName', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
};

const ofScopeSelector: WireMessage = {
  1: ['matchExpressions', list(message(ofScopedResourceSelectorRequirement))],
};

const ofResourceQuotaSpec: WireMessage = {
  1: ['hard', map('quantity')],
  2: ['scopes', list('string')],
  3: ['scopeSelector', message(ofScopeSelector)],
};

const ofResourceQuotaStatus: WireMessage = {
  1: ['hard', map('quantity')],
  2: ['used', map('quantity')],
};

const ofResourceQuota: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofResourceQuotaSpec)],
  3: ['status', message(ofResourceQuotaStatus)],
};

const ofBinding: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['target', message(ofObjectReference)],
};

const ofEviction: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['deleteOptions', message(ofDeleteOptions)],
};

const ofPodDisruptionBudgetSpec: WireMessage = {
  1: ['minAvailable', 'int-or-string'],
  2: ['selector', message(ofLabelSelector)],
  3: ['maxUnavailable', 'int-or-string'],
  4: ['unhealthyPodEvictionPolicy', 'string'],
};

const ofPodDisruptionBudgetStatus: WireMessage = {
  1: ['observedGeneration', 'int-or-none'],
  2: ['disruptedPods', map('time')],
  3: ['disruptionsAllowed', 'int'],
  4: ['currentHealthy', 'int'],
  5: ['desiredHealthy', 'int'],
  6: ['expectedPods', 'int'],
  7: ['conditions', list(message(ofCondition))],
};

const ofPodDisruptionBudget: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPodDisruptionBudgetSpec)],
  3: ['status', message(ofPodDisruptionBudgetStatus)],
};

const ofPriorityClass: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['value', 'int'],
  3: ['globalDefault', 'flag'],
  4: ['description', 'string-or-none'],
  5: ['preemptionPolicy', 'string'],
};

const ofPolicyRule: WireMessage = {
  1: ['verbs', list('string')],
  2: ['apiGroups', list('string')],
  3: ['resources', list('string')],
  4: ['resourceNames', list('string')],
  5: ['nonResourceURLs', list('string')],
};

const ofRole: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['rules', list(message(ofPolicyRule))],
};

const ofAggregationRule: WireMessage = {
  1: ['clusterRoleSelectors', list(message(ofLabelSelector))],
};

const ofClusterRole: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['rules', list(message(ofPolicyRule))],
  3: ['aggregationRule', message(ofAggregationRule)],
};

const ofSubject: WireMessage = {
  1: ['kind', 'string'],
  2: ['apiGroup', 'string-or-none'],
  3: ['name', 'string'],
  4: ['namespace', 'string-or-none'],
};

const ofRoleRef: WireMessage = {
  1: ['apiGroup', 'string'],
  2: ['kind', 'string'],
  3: ['name', 'string'],
};

const ofRoleBinding: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['subjects', list(message(ofSubject))],
  3: ['roleRef', message(ofRoleRef)],
};

const ofClusterRoleBinding: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['subjects', list(message(ofSubject))],
  3: ['roleRef', message(ofRoleRef)],
};

const ofSelfSubjectReviewStatus: WireMessage = {
  1: ['userInfo', message(ofUserInfo)],
};

const ofSelfSubjectReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['status', message(ofSelfSubjectReviewStatus)],
};

const ofSelfSubjectAccessReviewSpec: WireMessage = {
  1: ['resourceAttributes', message(ofResourceAttributes)],
  2: ['nonResourceAttributes', message(ofNonResourceAttributes)],
};

const ofSelfSubjectAccessReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofSelfSubjectAccessReviewSpec)],
  3: ['status', message(ofSubjectAccessReviewStatus)],
};

const ofSelfSubjectRulesReviewSpec: WireMessage = {
  1: ['namespace', 'string-or-none'],
};

const ofResourceRule: WireMessage = {
  1: ['verbs', list('string')],
  2: ['apiGroups', list('string')],
  3: ['resources', list('string')],
  4: ['resourceNames', list('string')],
};

const ofNonResourceRule: WireMessage = {
  1: ['verbs', list('string')],
  2: ['nonResourceURLs', list('string')],
};

const ofSubjectRulesReviewStatus: WireMessage = {
  1: ['resourceRules', list(message(ofResourceRule))],
  2: ['nonResourceRules', list(message(ofNonResourceRule))],
  3: ['incomplete', 'bool'],
  4: ['evaluationError', 'string-or-none'],
};

const ofSelfSubjectRulesReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofSelfSubjectRulesReviewSpec)],
  3: ['status', message(ofSubjectRulesReviewStatus)],
};

/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */
export const wireMessages: Readonly<Record<string, WireMessage>> = {
  'v1/Pod': ofPod,
  'v1/Node': ofNode,
  'v1/Service': ofService,
  'v1/ConfigMap': ofConfigMap,
  'v1/Secret': ofSecret,
  'v1/ServiceAccount': ofServiceAccount,
  'v1/PersistentVolume': ofPersistentVolume,
  'v1/PersistentVolumeClaim': ofPersistentVolumeClaim,
  'v1/Event': ofEvent,
  'v1/Status': ofStatus,
  'ListMeta': ofListMeta,
  'coordination.k8s.io/v1/Lease': ofLease,
  'node.k8s.io/v1/RuntimeClass': ofRuntimeClass,
  'storage.k8s.io/v1/CSINode': ofCSINode,
  'storage.k8s.io/v1/CSIDriver': ofCSIDriver,
  'storage.k8s.io/v1/VolumeAttachment': ofVolumeAttachment,
  'certificates.k8s.io/v1/CertificateSigningRequest': ofCertificateSigningRequest,
  'certificates.k8s.io/v1beta1/ClusterTrustBundle': ofClusterTrustBundle,
  'certificates.k8s.io/v1beta1/PodCertificateRequest': ofPodCertificateRequest,
  'authentication.k8s.io/v1/TokenRequest': ofTokenRequest,
  'authentication.k8s.io/v1/TokenReview': ofTokenReview,
  'authorization.k8s.io/v1/SubjectAccessReview': ofSubjectAccessReview,
  'DeleteOptions': ofDeleteOptions,
  'v1/Namespace': ofNamespace,
  'v1/ResourceQuota': ofResourceQuota,
  'v1/Binding': ofBinding,
  'policy/v1/Eviction': ofEviction,
  'policy/v1/PodDisruptionBudget': ofPodDisruptionBudget,
  'scheduling.k8s.io/v1/PriorityClass': ofPriorityClass,
  'rbac.authorization.k8s.io/v1/Role': ofRole,
  'rbac.authorization.k8s.io/v1/ClusterRole': ofClusterRole,
  'rbac.authorization.k8s.io/v1/RoleBinding': ofRoleBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': ofClusterRoleBinding,
  'authentication.k8s.io/v1/SelfSubjectReview': ofSelfSubjectReview,
  'authorization.k8s.io/v1/SelfSubjectAccessReview': ofSelfSubjectAccessReview,
  'authorization.k8s.io/v1/SelfSubjectRulesReview': ofSelfSubjectRulesReview,
};
