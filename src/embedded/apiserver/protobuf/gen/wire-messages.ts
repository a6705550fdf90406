// Made from api-messages.txt by `npm run -s generate`. Changes are lost.
import { list, map, message, type WireMessage } from '../wire-types.ts';

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

const ofOwnerReference: WireMessage = {
  1: ['kind', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['controller', 'bool'],
  7: ['blockOwnerDeletion', 'bool'],
};

const ofObjectMeta: WireMessage = {
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  4: ['selfLink', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['generation', 'int-or-none'],
  8: ['creationTimestamp', 'time'],
  9: ['deletionTimestamp', 'time'],
  10: ['deletionGracePeriodSeconds', 'int'],
  11: ['labels', map('string')],
  12: ['annotations', map('string')],
  13: ['ownerReferences', list(message(ofOwnerReference))],
  14: ['finalizers', list('string')],
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
  3: ['type', 'string'],
  4: ['stringData', map('string')],
  5: ['immutable', 'bool'],
};

const ofNamespaceSpec: WireMessage = {
  1: ['finalizers', list('string')],
};

const ofNamespaceCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string'],
  6: ['message', 'string'],
};

const ofNamespaceStatus: WireMessage = {
  1: ['phase', 'string'],
  2: ['conditions', list(message(ofNamespaceCondition))],
};

const ofNamespace: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofNamespaceSpec)],
  3: ['status', message(ofNamespaceStatus)],
};

const ofObjectReference: WireMessage = {
  1: ['kind', 'string'],
  2: ['namespace', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['fieldPath', 'string'],
};

const ofLocalObjectReference: WireMessage = {
  1: ['name', 'string'],
};

const ofServiceAccount: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['secrets', list(message(ofObjectReference))],
  3: ['imagePullSecrets', list(message(ofLocalObjectReference))],
  4: ['automountServiceAccountToken', 'bool'],
};

const ofHostPathVolumeSource: WireMessage = {
  1: ['path', 'string'],
  2: ['type', 'string'],
};

const ofEmptyDirVolumeSource: WireMessage = {
  1: ['medium', 'string'],
  2: ['sizeLimit', 'quantity'],
};

const ofGCEPersistentDiskVolumeSource: WireMessage = {
  1: ['pdName', 'string'],
  2: ['fsType', 'string'],
  3: ['partition', 'int-or-none'],
  4: ['readOnly', 'flag'],
};

const ofAWSElasticBlockStoreVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string'],
  3: ['partition', 'int-or-none'],
  4: ['readOnly', 'flag'],
};

const ofGitRepoVolumeSource: WireMessage = {
  1: ['repository', 'string'],
  2: ['revision', 'string'],
  3: ['directory', 'string'],
};

const ofKeyToPath: WireMessage = {
  1: ['key', 'string'],
  2: ['path', 'string'],
  3: ['mode', 'int'],
};

const ofSecretVolumeSource: WireMessage = {
  1: ['secretName', 'string'],
  2: ['items', list(message(ofKeyToPath))],
  3: ['defaultMode', 'int'],
  4: ['optional', 'bool'],
};

const ofNFSVolumeSource: WireMessage = {
  1: ['server', 'string'],
  2: ['path', 'string'],
  3: ['readOnly', 'flag'],
};

const ofISCSIVolumeSource: WireMessage = {
  1: ['targetPortal', 'string'],
  2: ['iqn', 'string'],
  3: ['lun', 'int'],
  4: ['iscsiInterface', 'string'],
  5: ['fsType', 'string'],
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
  3: ['fsType', 'string'],
  4: ['pool', 'string'],
  5: ['user', 'string'],
  6: ['keyring', 'string'],
  7: ['secretRef', message(ofLocalObjectReference)],
  8: ['readOnly', 'flag'],
};

const ofFlexVolumeSource: WireMessage = {
  1: ['driver', 'string'],
  2: ['fsType', 'string'],
  3: ['secretRef', message(ofLocalObjectReference)],
  4: ['readOnly', 'flag'],
  5: ['options', map('string')],
};

const ofCinderVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string'],
  3: ['readOnly', 'flag'],
  4: ['secretRef', message(ofLocalObjectReference)],
};

const ofCephFSVolumeSource: WireMessage = {
  1: ['monitors', list('string')],
  2: ['path', 'string'],
  3: ['user', 'string'],
  4: ['secretFile', 'string'],
  5: ['secretRef', message(ofLocalObjectReference)],
  6: ['readOnly', 'flag'],
};

const ofFlockerVolumeSource: WireMessage = {
  1: ['datasetName', 'string'],
  2: ['datasetUUID', 'string'],
};

const ofObjectFieldSelector: WireMessage = {
  1: ['apiVersion', 'string'],
  2: ['fieldPath', 'string'],
};

const ofResourceFieldSelector: WireMessage = {
  1: ['containerName', 'string'],
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
  3: ['fsType', 'string'],
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
  2: ['fsType', 'string'],
  3: ['storagePolicyName', 'string'],
  4: ['storagePolicyID', 'string'],
};

const ofQuobyteVolumeSource: WireMessage = {
  1: ['registry', 'string'],
  2: ['volume', 'string'],
  3: ['readOnly', 'flag'],
  4: ['user', 'string'],
  5: ['group', 'string'],
  6: ['tenant', 'string'],
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
  2: ['fsType', 'string'],
};

const ofPortworxVolumeSource: WireMessage = {
  1: ['volumeID', 'string'],
  2: ['fsType', 'string'],
  3: ['readOnly', 'flag'],
};

const ofScaleIOVolumeSource: WireMessage = {
  1: ['gateway', 'string'],
  2: ['system', 'string'],
  3: ['secretRef', message(ofLocalObjectReference)],
  4: ['sslEnabled', 'flag'],
  5: ['protectionDomain', 'string'],
  6: ['storagePool', 'string'],
  7: ['storageMode', 'string'],
  8: ['volumeName', 'string'],
  9: ['fsType', 'string'],
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
  1: ['audience', 'string'],
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
  1: ['signerName', 'string'],
  2: ['keyType', 'string'],
  3: ['maxExpirationSeconds', 'int'],
  4: ['credentialBundlePath', 'string'],
  5: ['keyPath', 'string'],
  6: ['certificateChainPath', 'string'],
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
  1: ['volumeName', 'string'],
  2: ['volumeNamespace', 'string'],
  3: ['fsType', 'string'],
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
  3: ['volumeName', 'string'],
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
  1: ['reference', 'string'],
  2: ['pullPolicy', 'string'],
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
  1: ['name', 'string'],
  2: ['hostPort', 'int-or-none'],
  3: ['containerPort', 'int'],
  4: ['protocol', 'string'],
  5: ['hostIP', 'string'],
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
  2: ['value', 'string'],
  3: ['valueFrom', message(ofEnvVarSource)],
};

const ofResourceClaim: WireMessage = {
  1: ['name', 'string'],
  2: ['request', 'string'],
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
  4: ['subPath', 'string'],
  5: ['mountPropagation', 'string'],
  6: ['subPathExpr', 'string'],
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
  1: ['path', 'string'],
  2: ['port', 'int-or-string'],
  3: ['host', 'string'],
  4: ['scheme', 'string'],
  5: ['httpHeaders', list(message(ofHTTPHeader))],
};

const ofTCPSocketAction: WireMessage = {
  1: ['port', 'int-or-string'],
  2: ['host', 'string'],
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
  1: ['user', 'string'],
  2: ['role', 'string'],
  3: ['type', 'string'],
  4: ['level', 'string'],
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
  1: ['prefix', 'string'],
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
  1: ['operator', 'string'],
  2: ['values', list('int')],
};

const ofContainerRestartRule: WireMessage = {
  1: ['action', 'string'],
  2: ['exitCodes', message(ofContainerRestartRuleOnExitCodes)],
};

const ofContainer: WireMessage = {
  1: ['name', 'string'],
  2: ['image', 'string'],
  3: ['command', list('string')],
  4: ['args', list('string')],
  5: ['workingDir', 'string'],
  6: ['ports', list(message(ofContainerPort))],
  7: ['env', list(message(ofEnvVar))],
  8: ['resources', message(ofResourceRequirements)],
  9: ['volumeMounts', list(message(ofVolumeMount))],
  10: ['livenessProbe', message(ofProbe)],
  11: ['readinessProbe', message(ofProbe)],
  12: ['lifecycle', message(ofLifecycle)],
  13: ['terminationMessagePath', 'string'],
  14: ['imagePullPolicy', 'string'],
  15: ['securityContext', message(ofSecurityContext)],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(message(ofEnvFromSource))],
  20: ['terminationMessagePolicy', 'string'],
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
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['value', 'string'],
  4: ['effect', 'string'],
  5: ['tolerationSeconds', 'int'],
};

const ofHostAlias: WireMessage = {
  1: ['ip', 'string'],
  2: ['hostnames', list('string')],
};

const ofPodDNSConfigOption: WireMessage = {
  1: ['name', 'string'],
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
  2: ['image', 'string'],
  3: ['command', list('string')],
  4: ['args', list('string')],
  5: ['workingDir', 'string'],
  6: ['ports', list(message(ofContainerPort))],
  7: ['env', list(message(ofEnvVar))],
  8: ['resources', message(ofResourceRequirements)],
  9: ['volumeMounts', list(message(ofVolumeMount))],
  10: ['livenessProbe', message(ofProbe)],
  11: ['readinessProbe', message(ofProbe)],
  12: ['lifecycle', message(ofLifecycle)],
  13: ['terminationMessagePath', 'string'],
  14: ['imagePullPolicy', 'string'],
  15: ['securityContext', message(ofSecurityContext)],
  16: ['stdin', 'flag'],
  17: ['stdinOnce', 'flag'],
  18: ['tty', 'flag'],
  19: ['envFrom', list(message(ofEnvFromSource))],
  20: ['terminationMessagePolicy', 'string'],
  21: ['volumeDevices', list(message(ofVolumeDevice))],
  22: ['startupProbe', message(ofProbe)],
  23: ['resizePolicy', list(message(ofContainerResizePolicy))],
  24: ['restartPolicy', 'string'],
  25: ['restartPolicyRules', list(message(ofContainerRestartRule))],
};

const ofEphemeralContainer: WireMessage = {
  1: ['', message(ofEphemeralContainerCommon)],
  2: ['targetContainerName', 'string'],
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
  3: ['restartPolicy', 'string'],
  4: ['terminationGracePeriodSeconds', 'int'],
  5: ['activeDeadlineSeconds', 'int'],
  6: ['dnsPolicy', 'string'],
  7: ['nodeSelector', map('string')],
  8: ['serviceAccountName', 'string'],
  9: ['serviceAccount', 'string'],
  10: ['nodeName', 'string'],
  11: ['hostNetwork', 'flag'],
  12: ['hostPID', 'flag'],
  13: ['hostIPC', 'flag'],
  14: ['securityContext', message(ofPodSecurityContext)],
  15: ['imagePullSecrets', list(message(ofLocalObjectReference))],
  16: ['hostname', 'string'],
  17: ['subdomain', 'string'],
  18: ['affinity', message(ofAffinity)],
  19: ['schedulerName', 'string'],
  20: ['initContainers', list(message(ofContainer))],
  21: ['automountServiceAccountToken', 'bool'],
  22: ['tolerations', list(message(ofToleration))],
  23: ['hostAliases', list(message(ofHostAlias))],
  24: ['priorityClassName', 'string'],
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

const ofPod: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPodSpec)],
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

const ofResourceQuota: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofResourceQuotaSpec)],
};

const ofBinding: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['target', message(ofObjectReference)],
};

const ofServicePort: WireMessage = {
  1: ['name', 'string'],
  2: ['protocol', 'string'],
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
  3: ['clusterIP', 'string'],
  4: ['type', 'string'],
  5: ['externalIPs', list('string')],
  7: ['sessionAffinity', 'string'],
  8: ['loadBalancerIP', 'string'],
  9: ['loadBalancerSourceRanges', list('string')],
  10: ['externalName', 'string'],
  11: ['externalTrafficPolicy', 'string'],
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

const ofService: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofServiceSpec)],
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

const ofPodDisruptionBudget: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofPodDisruptionBudgetSpec)],
};

const ofPriorityClass: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['value', 'int'],
  3: ['globalDefault', 'flag'],
  4: ['description', 'string'],
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
  2: ['apiGroup', 'string'],
  3: ['name', 'string'],
  4: ['namespace', 'string'],
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

const ofSelfSubjectReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
};

const ofBoundObjectReference: WireMessage = {
  1: ['kind', 'string'],
  2: ['apiVersion', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
};

const ofTokenRequestSpec: WireMessage = {
  1: ['audiences', list('string')],
  3: ['boundObjectRef', message(ofBoundObjectReference)],
  4: ['expirationSeconds', 'int'],
};

const ofTokenRequest: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofTokenRequestSpec)],
};

const ofFieldSelectorRequirement: WireMessage = {
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
};

const ofFieldSelectorAttributes: WireMessage = {
  1: ['rawSelector', 'string'],
  2: ['requirements', list(message(ofFieldSelectorRequirement))],
};

const ofLabelSelectorAttributes: WireMessage = {
  1: ['rawSelector', 'string'],
  2: ['requirements', list(message(ofLabelSelectorRequirement))],
};

const ofResourceAttributes: WireMessage = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
  8: ['fieldSelector', message(ofFieldSelectorAttributes)],
  9: ['labelSelector', message(ofLabelSelectorAttributes)],
};

const ofNonResourceAttributes: WireMessage = {
  1: ['path', 'string'],
  2: ['verb', 'string'],
};

const ofSelfSubjectAccessReviewSpec: WireMessage = {
  1: ['resourceAttributes', message(ofResourceAttributes)],
  2: ['nonResourceAttributes', message(ofNonResourceAttributes)],
};

const ofSelfSubjectAccessReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofSelfSubjectAccessReviewSpec)],
};

const ofSelfSubjectRulesReviewSpec: WireMessage = {
  1: ['namespace', 'string'],
};

const ofSelfSubjectRulesReview: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofSelfSubjectRulesReviewSpec)],
};

const ofCertificateSigningRequestSpec: WireMessage = {
  1: ['request', 'bytes'],
  2: ['username', 'string'],
  3: ['uid', 'string'],
  4: ['groups', list('string')],
  5: ['usages', list('string')],
  7: ['signerName', 'string'],
  8: ['expirationSeconds', 'int'],
};

const ofCertificateSigningRequestCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['reason', 'string'],
  3: ['message', 'string'],
  4: ['lastUpdateTime', 'time'],
  5: ['lastTransitionTime', 'time'],
  6: ['status', 'string'],
};

const ofCertificateSigningRequestStatus: WireMessage = {
  1: ['conditions', list(message(ofCertificateSigningRequestCondition))],
  2: ['certificate', 'bytes'],
};

const ofCertificateSigningRequest: WireMessage = {
  1: ['metadata', message(ofObjectMeta)],
  2: ['spec', message(ofCertificateSigningRequestSpec)],
  3: ['status', message(ofCertificateSigningRequestStatus)],
};

/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */
export const wireMessages: Readonly<Record<string, WireMessage>> = {
  'DeleteOptions': ofDeleteOptions,
  'v1/ConfigMap': ofConfigMap,
  'v1/Secret': ofSecret,
  'v1/Namespace': ofNamespace,
  'v1/ServiceAccount': ofServiceAccount,
  'v1/Pod': ofPod,
  'v1/ResourceQuota': ofResourceQuota,
  'v1/Binding': ofBinding,
  'v1/Service': ofService,
  'policy/v1/Eviction': ofEviction,
  'policy/v1/PodDisruptionBudget': ofPodDisruptionBudget,
  'scheduling.k8s.io/v1/PriorityClass': ofPriorityClass,
  'rbac.authorization.k8s.io/v1/Role': ofRole,
  'rbac.authorization.k8s.io/v1/ClusterRole': ofClusterRole,
  'rbac.authorization.k8s.io/v1/RoleBinding': ofRoleBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': ofClusterRoleBinding,
  'authentication.k8s.io/v1/SelfSubjectReview': ofSelfSubjectReview,
  'authentication.k8s.io/v1/TokenRequest': ofTokenRequest,
  'authorization.k8s.io/v1/SelfSubjectAccessReview': ofSelfSubjectAccessReview,
  'authorization.k8s.io/v1/SelfSubjectRulesReview': ofSelfSubjectRulesReview,
  'certificates.k8s.io/v1/CertificateSigningRequest': ofCertificateSigningRequest,
};
