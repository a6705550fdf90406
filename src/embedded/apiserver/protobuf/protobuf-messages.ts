import { labelSelector, list, map, message, metadata, texts, type WireMessage } from './protobuf-parts.ts';
import { podSpec } from './protobuf-pod.ts';

const objectReference = message({
  1: ['kind', 'string'],
  2: ['namespace', 'string'],
  3: ['name', 'string'],
  4: ['uid', 'string'],
  5: ['apiVersion', 'string'],
  6: ['resourceVersion', 'string'],
  7: ['fieldPath', 'string'],
});

const deleteOptions: WireMessage = {
  1: ['gracePeriodSeconds', 'int'],
  2: ['preconditions', message({ 1: ['uid', 'string'], 2: ['resourceVersion', 'string'] })],
  3: ['orphanDependents', 'bool'],
  4: ['propagationPolicy', 'string'],
  5: ['dryRun', texts],
};

const resourceAttributes = message({
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
});
const accessSpec: WireMessage = {
  1: ['resourceAttributes', resourceAttributes],
  2: ['nonResourceAttributes', message({ 1: ['path', 'string'], 2: ['verb', 'string'] })],
};

const servicePort = message({
  1: ['name', 'string'],
  2: ['protocol', 'string'],
  3: ['port', 'int'],
  4: ['targetPort', 'int-or-string'],
  5: ['nodePort', 'int'],
  6: ['appProtocol', 'string'],
});

const certificateCondition = message({
  1: ['type', 'string'],
  2: ['reason', 'string'],
  3: ['message', 'string'],
  4: ['lastUpdateTime', 'time'],
  5: ['lastTransitionTime', 'time'],
  6: ['status', 'string'],
});

const policyRules = list(
  message({
    1: ['verbs', texts],
    2: ['apiGroups', texts],
    3: ['resources', texts],
    4: ['resourceNames', texts],
    5: ['nonResourceURLs', texts],
  }),
);
const roleBinding: WireMessage = {
  1: ['metadata', metadata],
  2: [
    'subjects',
    list(
      message({ 1: ['kind', 'string'], 2: ['apiGroup', 'string'], 3: ['name', 'string'], 4: ['namespace', 'string'] }),
    ),
  ],
  3: ['roleRef', message({ 1: ['apiGroup', 'string'], 2: ['kind', 'string'], 3: ['name', 'string'] })],
};

/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */
export const wireMessages: Readonly<Record<string, WireMessage>> = {
  DeleteOptions: deleteOptions,
  'v1/ConfigMap': {
    1: ['metadata', metadata],
    2: ['data', map('string')],
    3: ['binaryData', map('bytes')],
    4: ['immutable', 'bool'],
  },
  'v1/Secret': {
    1: ['metadata', metadata],
    2: ['data', map('bytes')],
    3: ['type', 'string'],
    4: ['stringData', map('string')],
    5: ['immutable', 'bool'],
  },
  'v1/Namespace': {
    1: ['metadata', metadata],
    2: ['spec', message({ 1: ['finalizers', texts] })],
    3: ['status', message({ 1: ['phase', 'string'] })],
  },
  'v1/ServiceAccount': {
    1: ['metadata', metadata],
    2: ['secrets', list(objectReference)],
    3: ['imagePullSecrets', list(message({ 1: ['name', 'string'] }))],
    4: ['automountServiceAccountToken', 'bool'],
  },
  'v1/Pod': { 1: ['metadata', metadata], 2: ['spec', podSpec] },
  'v1/ResourceQuota': {
    1: ['metadata', metadata],
    2: ['spec', message({ 1: ['hard', map('quantity')], 2: ['scopes', texts] })],
  },
  'v1/Binding': { 1: ['metadata', metadata], 2: ['target', objectReference] },
  'v1/Service': {
    1: ['metadata', metadata],
    2: [
      'spec',
      message({
        1: ['ports', list(servicePort)],
        2: ['selector', map('string')],
        3: ['clusterIP', 'string'],
        4: ['type', 'string'],
        5: ['externalIPs', texts],
        7: ['sessionAffinity', 'string'],
        8: ['loadBalancerIP', 'string'],
        10: ['externalName', 'string'],
        11: ['externalTrafficPolicy', 'string'],
        18: ['clusterIPs', texts],
      }),
    ],
  },
  'policy/v1/Eviction': { 1: ['metadata', metadata], 2: ['deleteOptions', message(deleteOptions)] },
  'policy/v1/PodDisruptionBudget': {
    1: ['metadata', metadata],
    2: [
      'spec',
      message({
        1: ['minAvailable', 'int-or-string'],
        2: ['selector', labelSelector],
        3: ['maxUnavailable', 'int-or-string'],
      }),
    ],
  },
  'scheduling.k8s.io/v1/PriorityClass': {
    1: ['metadata', metadata],
    2: ['value', 'int'],
    3: ['globalDefault', 'bool'],
    4: ['description', 'string'],
    5: ['preemptionPolicy', 'string'],
  },
  'rbac.authorization.k8s.io/v1/Role': { 1: ['metadata', metadata], 2: ['rules', policyRules] },
  'rbac.authorization.k8s.io/v1/ClusterRole': {
    1: ['metadata', metadata],
    2: ['rules', policyRules],
    3: ['aggregationRule', message({ 1: ['clusterRoleSelectors', list(labelSelector)] })],
  },
  'rbac.authorization.k8s.io/v1/RoleBinding': roleBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': roleBinding,
  'authentication.k8s.io/v1/SelfSubjectReview': { 1: ['metadata', metadata] },
  'authentication.k8s.io/v1/TokenRequest': {
    1: ['metadata', metadata],
    2: [
      'spec',
      message({
        1: ['audiences', texts],
        2: [
          'boundObjectRef',
          message({ 1: ['kind', 'string'], 2: ['apiVersion', 'string'], 3: ['name', 'string'], 4: ['uid', 'string'] }),
        ],
        4: ['expirationSeconds', 'int'],
      }),
    ],
  },
  'authorization.k8s.io/v1/SelfSubjectAccessReview': { 1: ['metadata', metadata], 2: ['spec', message(accessSpec)] },
  'authorization.k8s.io/v1/SelfSubjectRulesReview': {
    1: ['metadata', metadata],
    2: ['spec', message({ 1: ['namespace', 'string'] })],
  },
  'certificates.k8s.io/v1/CertificateSigningRequest': {
    1: ['metadata', metadata],
    2: [
      'spec',
      message({
        1: ['request', 'bytes'],
        2: ['username', 'string'],
        3: ['uid', 'string'],
        4: ['groups', texts],
        5: ['usages', texts],
        7: ['signerName', 'string'],
        8: ['expirationSeconds', 'int'],
      }),
    ],
    3: ['status', message({ 1: ['conditions', list(certificateCondition)], 2: ['certificate', 'bytes'] })],
  },
};
