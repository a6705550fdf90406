import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { readApiMessages } from '../../../src/api/protobuf/api-messages.ts';
import { apiPodShape } from '../../../src/kube/manifest/pod-shape.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { differences } from './shape-and-api.ts';
import type { MissingInShape, MissingInType } from './shape-and-type.ts';

/** Passed on or checked, and read by no code through the type of a pod. */
type OnlyInShape =
  | '.metadata.generateName'
  | '.spec.schedulingGates'
  | '.spec.topologySpreadConstraints'
  | `.spec${'' | '.containers[]' | '.initContainers[]' | '.ephemeralContainers[]'}.securityContext.windowsOptions`
  | '.spec.securityContext.seLinuxChangePolicy'
  | '.status.conditions[].lastHeartbeatTime'
  | '.status.conditions[].lastUpdateTime'
  | `.status.${'c' | 'initC' | 'ephemeralC'}ontainerStatuses[].${'allocatedResourcesStatus' | 'stopSignal'}`
  | '.status.extendedResourceClaimStatus'
  | '.status.nominatedNodeName'
  | '.status.resize'
  | '.status.resourceClaimStatuses';

const api = readApiMessages(
  readFileSync(join(import.meta.dirname, '../../../src/api/protobuf/api-messages.txt'), 'utf8'),
);

describe('the shape of a pod', () => {
  it('has every member of the type: decoding loses none', () => {
    expectTypeOf<MissingInShape<Pod, typeof apiPodShape>>().toEqualTypeOf<never>();
  });

  it('has no other members, except those that are only passed on', () => {
    expectTypeOf<MissingInType<typeof apiPodShape, Pod>>().toEqualTypeOf<OnlyInShape>();
  });

  it('has the members of the API, with their types, except those named here', () => {
    expect(differences(apiPodShape, { api, message: 'Pod' })).toEqual([
      '- .metadata.selfLink',
      '- .metadata.managedFields',
      '- .spec.schedulingGroup',
      // Conditions of pods and of nodes share one shape.
      '+ .status.conditions[].lastHeartbeatTime',
      '+ .status.conditions[].lastUpdateTime',
      '- .status.nodeAllocatableResourceClaimStatuses',
      // These two are no fields of protobuf.
      '+ .apiVersion',
      '+ .kind',
    ]);
  });
});
