/** The kinds that the agent reads, and their messages. Lists of these kinds are read too. */
export const READ_KINDS: Readonly<Record<string, string>> = {
  'v1/Pod': 'Pod',
  'v1/Node': 'Node',
  'v1/Service': 'Service',
  'v1/ConfigMap': 'ConfigMap',
  'v1/Secret': 'Secret',
  'v1/ServiceAccount': 'ServiceAccount',
  'v1/PersistentVolume': 'PersistentVolume',
  'v1/PersistentVolumeClaim': 'PersistentVolumeClaim',
  'v1/Event': 'Event',
  'v1/Status': 'Status',
  ListMeta: 'ListMeta',
  'coordination.k8s.io/v1/Lease': 'Lease',
  'node.k8s.io/v1/RuntimeClass': 'RuntimeClass',
  'storage.k8s.io/v1/CSINode': 'CSINode',
  'storage.k8s.io/v1/CSIDriver': 'CSIDriver',
  'storage.k8s.io/v1/VolumeAttachment': 'VolumeAttachment',
  'certificates.k8s.io/v1/CertificateSigningRequest': 'CertificateSigningRequest',
  'certificates.k8s.io/v1beta1/ClusterTrustBundle': 'ClusterTrustBundle',
  'certificates.k8s.io/v1beta1/PodCertificateRequest': 'PodCertificateRequest',
  'authentication.k8s.io/v1/TokenRequest': 'TokenRequest',
  'authentication.k8s.io/v1/TokenReview': 'TokenReview',
  'authorization.k8s.io/v1/SubjectAccessReview': 'SubjectAccessReview',
};

/** The kinds that the agent creates or updates as a whole. Patches are JSON. */
export const WRITTEN_KINDS: Readonly<Record<string, string>> = {
  'v1/Event': 'Event',
  'v1/Node': 'Node',
  'coordination.k8s.io/v1/Lease': 'Lease',
  'storage.k8s.io/v1/CSINode': 'CSINode',
  'certificates.k8s.io/v1/CertificateSigningRequest': 'CertificateSigningRequest',
  'certificates.k8s.io/v1beta1/PodCertificateRequest': 'PodCertificateRequest',
  'authentication.k8s.io/v1/TokenRequest': 'TokenRequest',
  'authentication.k8s.io/v1/TokenReview': 'TokenReview',
  'authorization.k8s.io/v1/SubjectAccessReview': 'SubjectAccessReview',
};

/** The kinds that the embedded API server reads and writes in protobuf. */
export const SERVED_KINDS: Readonly<Record<string, string>> = {
  ...READ_KINDS,
  ...WRITTEN_KINDS,
  DeleteOptions: 'DeleteOptions',
  'v1/Namespace': 'Namespace',
  'v1/ResourceQuota': 'ResourceQuota',
  'v1/Binding': 'Binding',
  'policy/v1/Eviction': 'Eviction',
  'policy/v1/PodDisruptionBudget': 'PodDisruptionBudget',
  'scheduling.k8s.io/v1/PriorityClass': 'PriorityClass',
  'rbac.authorization.k8s.io/v1/Role': 'Role',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'ClusterRole',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'RoleBinding',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': 'ClusterRoleBinding',
  'authentication.k8s.io/v1/SelfSubjectReview': 'SelfSubjectReview',
  'authorization.k8s.io/v1/SelfSubjectAccessReview': 'SelfSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectRulesReview': 'SelfSubjectRulesReview',
};
