import { conditions } from '../../../kube/manifest/conditions-shape.ts';
import { list, map, object } from '../../../kube/manifest/decode-shape.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { required } from '../store/field-causes.ts';
import type { StatusCause } from '../store/refusal.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

/** Defaults of a service. No cluster IP is assigned: nothing here would carry its traffic. */
function defaultService(service: ApiObject): ApiObject {
  const spec = membersOf(service, 'spec');
  const ports: readonly unknown[] = Array.isArray(spec['ports']) ? spec['ports'] : [];
  return {
    ...service,
    spec: {
      sessionAffinity: 'None',
      type: 'ClusterIP',
      internalTrafficPolicy: 'Cluster',
      ...spec,
      ...(ports.length > 0 && {
        ports: ports
          .filter(isMembers)
          .map((port) => ({ protocol: 'TCP', ...port, targetPort: port['targetPort'] ?? port['port'] })),
      }),
    },
    status: service.status ?? { loadBalancer: {} },
  };
}

function serviceProblems(service: ApiObject): readonly StatusCause[] {
  const spec = membersOf(service, 'spec');
  const isBare = spec['type'] === 'ExternalName' || spec['clusterIP'] === 'None';
  return !isBare && (!Array.isArray(spec['ports']) || spec['ports'].length === 0) ? [required('spec.ports')] : [];
}

export const serviceKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Service',
  resource: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  shape: topLevel({
    spec: object({
      ports: list(
        object({
          name: 'string',
          protocol: 'string',
          appProtocol: 'string',
          port: 'int',
          targetPort: 'int-or-string',
          nodePort: 'int',
        }),
      ),
      selector: map('string'),
      clusterIP: 'string',
      clusterIPs: list('string'),
      type: 'string',
      externalIPs: list('string'),
      sessionAffinity: 'string',
      sessionAffinityConfig: 'any',
      loadBalancerIP: 'string',
      loadBalancerSourceRanges: list('string'),
      loadBalancerClass: 'string',
      externalName: 'string',
      externalTrafficPolicy: 'string',
      internalTrafficPolicy: 'string',
      healthCheckNodePort: 'int',
      publishNotReadyAddresses: 'bool',
      ipFamilies: list('string'),
      ipFamilyPolicy: 'string',
      allocateLoadBalancerNodePorts: 'bool',
      trafficDistribution: 'string',
    }),
    status: object({ loadBalancer: 'any', conditions }),
  }),
  hasStatus: true,
  fields: {
    'spec.clusterIP': (service) => textOf(membersOf(service, 'spec')['clusterIP']),
    'spec.type': (service) => textOf(membersOf(service, 'spec')['type']),
  },
  rules: { prepareCreate: defaultService, prepareUpdate: defaultService, validate: serviceProblems },
});
