import { list, map, object } from '../../kube/decode-shape.ts';
import { membersOf } from '../api-object.ts';
import { conditions, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const taint = object({ key: 'string', value: 'string', effect: 'string', timeAdded: 'string' });

const status = object({
  capacity: map('quantity'),
  allocatable: map('quantity'),
  phase: 'string',
  conditions,
  addresses: list(object({ type: 'string', address: 'string' })),
  daemonEndpoints: object({ kubeletEndpoint: object({ Port: 'int' }) }),
  nodeInfo: object({
    machineID: 'string',
    systemUUID: 'string',
    bootID: 'string',
    kernelVersion: 'string',
    osImage: 'string',
    containerRuntimeVersion: 'string',
    kubeletVersion: 'string',
    kubeProxyVersion: 'string',
    operatingSystem: 'string',
    architecture: 'string',
    swap: object({ capacity: 'int' }),
  }),
  images: list(object({ names: list('string'), sizeBytes: 'int' })),
  volumesInUse: list('string'),
  volumesAttached: list(object({ name: 'string', devicePath: 'string' })),
  config: 'any',
  runtimeHandlers: list(
    object({ name: 'string', features: object({ recursiveReadOnlyMounts: 'bool', userNamespaces: 'bool' }) }),
  ),
  features: object({ supplementalGroupsPolicy: 'bool' }),
  declaredFeatures: list('string'),
});

export const nodeKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Node',
  resource: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  shape: topLevel({
    spec: object({
      podCIDR: 'string',
      podCIDRs: list('string'),
      providerID: 'string',
      unschedulable: 'bool',
      taints: list(taint),
      configSource: 'any',
      externalID: 'string',
    }),
    status,
  }),
  hasStatus: true,
  fields: { 'spec.unschedulable': (node) => String(membersOf(node, 'spec')['unschedulable'] === true) },
  rules: {
    prepareCreate: (node) => ({ ...node, spec: node.spec ?? {} }),
  },
});
