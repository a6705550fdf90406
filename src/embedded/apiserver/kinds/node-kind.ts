import { conditions } from '../../../kube/manifest/conditions-shape.ts';
import { isDeepStrictEqual } from 'node:util';
import { list, map, object } from '../../../kube/manifest/decode-shape.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { membersOf } from '../store/api-object.ts';
import { forbiddenField } from '../store/field-causes.ts';
import type { StatusCause } from '../store/refusal.ts';
import { topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const taint = object({ key: 'string', value: 'string', effect: 'string', timeAdded: 'string' });

/** `podCIDR` and the first entry of `podCIDRs` are the same value. */
function withAllRanges(node: ApiObject): Members {
  const spec = membersOf(node, 'spec');
  const { podCIDR, podCIDRs } = spec;
  if (Array.isArray(podCIDRs) && podCIDRs.length > 0) return { ...spec, podCIDR: podCIDR ?? podCIDRs[0] };
  return podCIDR === undefined ? spec : { ...spec, podCIDRs: [podCIDR] };
}

/** A node without allocatable resources offers its whole capacity. */
function withAllocatable(node: ApiObject): { readonly status?: Members } {
  if (node.status === undefined) return {};
  const given = membersOf(node, 'status');
  return { status: given['capacity'] === undefined ? given : { allocatable: given['capacity'], ...given } };
}

/** A pod range once given to a node does not change. */
function nodeUpdateProblems(node: ApiObject, old: ApiObject): readonly StatusCause[] {
  const [now, before] = [membersOf(node, 'spec'), membersOf(old, 'spec')];
  const causes: StatusCause[] = [];
  if (before['podCIDRs'] !== undefined && !isDeepStrictEqual(now['podCIDRs'], before['podCIDRs'])) {
    causes.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (before['providerID'] !== undefined && now['providerID'] !== before['providerID']) {
    causes.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return causes;
}

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
    prepareCreate: (node) => ({ ...node, spec: withAllRanges(node), ...withAllocatable(node) }),
    prepareUpdate: (node) => ({ ...node, spec: withAllRanges(node) }),
    validateUpdate: nodeUpdateProblems,
  },
});
