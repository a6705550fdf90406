import { list, map, object } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf } from '../store/api-object.ts';
import { invalidValue } from '../store/field-causes.ts';
import { badRequest } from '../store/refusal.ts';
import { labelSelector, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

/** The API writes these times with six digits after the seconds, and in no other form. */
function withMicroTimes(lease: ApiObject): ApiObject {
  for (const member of ['acquireTime', 'renewTime']) {
    const value = own(membersOf(lease, 'spec'), member);
    if (typeof value !== 'string' || /\.\d{6}(Z|[+-]\d\d:\d\d)$/.test(value)) continue;
    throw badRequest(
      `Lease in version "v1" cannot be handled as a Lease: spec.${member}: parsing time "${value}": six digits of a second are needed`,
    );
  }
  return lease;
}

export const leaseKind = defineKind({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  resource: 'leases',
  namespaced: true,
  createsOnUpdate: true,
  needsRevision: true,
  rules: {
    prepareCreate: withMicroTimes,
    prepareUpdate: withMicroTimes,
    validate: (lease) =>
      ['leaseDurationSeconds', 'leaseTransitions'].flatMap((member) => {
        const value = own(membersOf(lease, 'spec'), member);
        const least = member === 'leaseTransitions' ? 0 : 1;
        if (typeof value !== 'number' || value >= least) return [];
        const why = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
        return [invalidValue(`spec.${member}`, value, why)];
      }),
  },
  shape: topLevel({
    spec: object({
      holderIdentity: 'string',
      leaseDurationSeconds: 'int',
      acquireTime: 'string',
      renewTime: 'string',
      leaseTransitions: 'int',
      strategy: 'string',
      preferredHolder: 'string',
    }),
  }),
});

export const runtimeClassKind = defineKind({
  group: 'node.k8s.io',
  version: 'v1',
  kind: 'RuntimeClass',
  resource: 'runtimeclasses',
  namespaced: false,
  shape: topLevel({
    handler: 'string',
    overhead: object({ podFixed: map('quantity') }),
    scheduling: object({ nodeSelector: map('string'), tolerations: list('any') }),
  }),
});

export const priorityClassKind = defineKind({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  resource: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  shape: topLevel({ value: 'int', globalDefault: 'bool', description: 'string', preemptionPolicy: 'string' }),
  rules: {
    prepareCreate: (object) => ({ ...object, preemptionPolicy: object['preemptionPolicy'] ?? 'PreemptLowerPriority' }),
  },
});

export const csiDriverKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIDriver',
  resource: 'csidrivers',
  namespaced: false,
  shape: topLevel({
    spec: object({
      attachRequired: 'bool',
      podInfoOnMount: 'bool',
      volumeLifecycleModes: list('string'),
      storageCapacity: 'bool',
      fsGroupPolicy: 'string',
      tokenRequests: list(object({ audience: 'string', expirationSeconds: 'int' })),
      requiresRepublish: 'bool',
      seLinuxMount: 'bool',
      nodeAllocatableUpdatePeriodSeconds: 'int',
      serviceAccountTokenInSecrets: 'bool',
    }),
  }),
  rules: {
    prepareCreate: (driver) => ({
      ...driver,
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
        ...(isMembers(driver.spec) ? driver.spec : {}),
      },
    }),
  },
});

export const csiNodeKind = defineKind({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSINode',
  resource: 'csinodes',
  namespaced: false,
  shape: topLevel({
    spec: object({
      drivers: list(
        object({
          name: 'string',
          nodeID: 'string',
          topologyKeys: list('string'),
          allocatable: object({ count: 'int' }),
        }),
      ),
    }),
  }),
});

/** Persistent storage kinds, for nodes that read them; this server neither binds nor provisions volumes. */
export const storageKinds = [
  defineKind({
    group: '',
    version: 'v1',
    kind: 'PersistentVolumeClaim',
    resource: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    namespaced: true,
    hasStatus: true,
    shape: topLevel({ spec: 'any', status: 'any' }),
  }),
  defineKind({
    group: '',
    version: 'v1',
    kind: 'PersistentVolume',
    resource: 'persistentvolumes',
    shortNames: ['pv'],
    namespaced: false,
    hasStatus: true,
    shape: topLevel({ spec: 'any', status: 'any' }),
  }),
  defineKind({
    group: 'storage.k8s.io',
    version: 'v1',
    kind: 'VolumeAttachment',
    resource: 'volumeattachments',
    namespaced: false,
    hasStatus: true,
    shape: topLevel({ spec: 'any', status: 'any' }),
  }),
  defineKind({
    group: 'storage.k8s.io',
    version: 'v1',
    kind: 'StorageClass',
    resource: 'storageclasses',
    shortNames: ['sc'],
    namespaced: false,
    shape: topLevel({
      provisioner: 'string',
      parameters: map('string'),
      reclaimPolicy: 'string',
      mountOptions: list('string'),
      allowVolumeExpansion: 'bool',
      volumeBindingMode: 'string',
      allowedTopologies: list('any'),
    }),
  }),
];

/** Kinds that nodes and scripts may read, and that this server does not act on. */
export const passiveKinds = [
  defineKind({
    group: '',
    version: 'v1',
    kind: 'Endpoints',
    resource: 'endpoints',
    shortNames: ['ep'],
    namespaced: true,
    shape: topLevel({ subsets: 'any' }),
  }),
  defineKind({
    group: '',
    version: 'v1',
    kind: 'LimitRange',
    resource: 'limitranges',
    shortNames: ['limits'],
    namespaced: true,
    shape: topLevel({ spec: 'any' }),
  }),
  defineKind({
    group: '',
    version: 'v1',
    kind: 'ResourceQuota',
    resource: 'resourcequotas',
    shortNames: ['quota'],
    namespaced: true,
    hasStatus: true,
    shape: topLevel({ spec: 'any', status: 'any' }),
  }),
  defineKind({
    group: 'policy',
    version: 'v1',
    kind: 'PodDisruptionBudget',
    resource: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    namespaced: true,
    hasStatus: true,
    shape: topLevel({
      spec: object({
        minAvailable: 'int-or-string',
        maxUnavailable: 'int-or-string',
        selector: labelSelector,
        unhealthyPodEvictionPolicy: 'string',
      }),
      status: 'any',
    }),
  }),
];
