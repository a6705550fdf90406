// Made from api-messages.txt by `npm run -s generate`. Changes are lost.
import { list, map, message, type WireMessage } from '../wire-types.ts';

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

const ofObjectReference: WireMessage = {
  1: ['kind', 'string-or-none'],
  2: ['namespace', 'string-or-none'],
  3: ['name', 'string-or-none'],
  4: ['uid', 'string-or-none'],
  5: ['apiVersion', 'string-or-none'],
  6: ['resourceVersion', 'string-or-none'],
  7: ['fieldPath', 'string-or-none'],
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

const ofCondition: WireMessage = {
  1: ['type', 'string'],
  2: ['status', 'string'],
  3: ['observedGeneration', 'int-or-none'],
  4: ['lastTransitionTime', 'time'],
  5: ['reason', 'string'],
  6: ['message', 'string'],
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

const ofLabelSelectorRequirement: WireMessage = {
  1: ['key', 'string'],
  2: ['operator', 'string'],
  3: ['values', list('string')],
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

/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */
export const wireMessages: Readonly<Record<string, WireMessage>> = {
  'v1/Event': ofEvent,
  'v1/Node': ofNode,
  'coordination.k8s.io/v1/Lease': ofLease,
  'storage.k8s.io/v1/CSINode': ofCSINode,
  'certificates.k8s.io/v1/CertificateSigningRequest': ofCertificateSigningRequest,
  'certificates.k8s.io/v1beta1/PodCertificateRequest': ofPodCertificateRequest,
  'authentication.k8s.io/v1/TokenRequest': ofTokenRequest,
  'authentication.k8s.io/v1/TokenReview': ofTokenReview,
  'authorization.k8s.io/v1/SubjectAccessReview': ofSubjectAccessReview,
};
