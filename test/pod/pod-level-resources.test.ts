import { describe, expect, it } from 'vitest';
import { podUid } from '../../src/kube/ids.ts';
import type { Pod, PodStatus, ResourceRequirements } from '../../src/kube/pod.ts';
import { apiPodStatus } from '../../src/pod/status/api-status.ts';
import { statusPatch } from '../../src/pod/status/status-patch.ts';
import {
  asksForOther,
  asksForOtherAsAWhole,
  POD_ITSELF,
  resizeMessage,
  resourcesInStatus,
  resourcesOf,
  withPodLimits,
  withResources,
} from '../../src/pod/sync/pod-resizes.ts';
import { emptyRuntimePodStatus } from '../../src/pod/values/runtime-pod-status.ts';
import { sameStatus } from '../../src/pod/status/same-status.ts';
import { container, pod } from './pods.ts';

const small: ResourceRequirements = { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '64Mi' } };
const large: ResourceRequirements = { requests: { cpu: '300m' }, limits: { cpu: '500m', memory: '64Mi' } };
const asking = (resources: ResourceRequirements, status?: PodStatus): Pod =>
  pod({ containers: [container('main')], resources, metadata: { uid: 'a', name: 'a' }, ...(status && { status }) });

describe('what a pod has as a whole', () => {
  it('is kept beside what its containers have, under no name of theirs', () => {
    expect(resourcesOf(asking(small))).toEqual({ main: {}, [POD_ITSELF]: small });
    expect(resourcesOf(pod({ containers: [container('main')] }))).toEqual({ main: {} });
  });

  it('is given back to it, and to no pod that has nothing as a whole', () => {
    const given = { main: {}, [POD_ITSELF]: small };
    expect(withResources(asking(large), given).spec.resources).toEqual(small);
    expect(withResources(pod({ containers: [container('main')] }), given).spec.resources).toBeUndefined();
  });

  it.each<{ rule: string; wants: ResourceRequirements; has: ResourceRequirements | undefined; other: boolean }>([
    { rule: 'another amount is', wants: large, has: small, other: true },
    {
      rule: 'the same amount in other words is not',
      wants: small,
      has: { ...small, requests: { cpu: '0.1' } },
      other: false,
    },
    { rule: 'what was never noted is not', wants: large, has: undefined, other: false },
  ])('$rule something else', ({ wants, has, other }) => {
    expect(asksForOtherAsAWhole(asking(wants), has)).toBe(other);
    expect(asksForOther(asking(wants), { main: {}, ...(has && { [POD_ITSELF]: has }) })).toBe(other);
  });

  it('bounds a container where that has no bound of its own', () => {
    expect(withPodLimits({ limits: { cpu: '50m' } }, small)).toEqual({ limits: { cpu: '50m', memory: '64Mi' } });
    expect(withPodLimits(undefined, small)).toEqual({ limits: { cpu: '200m', memory: '64Mi' } });
    expect(withPodLimits(small, undefined)).toBe(small);
  });

  it('is read from the status that the API has, where nothing else is known', () => {
    const shown: PodStatus = { allocatedResources: { cpu: '100m' }, resources: small };
    expect(resourcesInStatus(asking(large, shown))[POD_ITSELF]).toEqual(small);
    expect(resourcesInStatus(asking(large))[POD_ITSELF]).toEqual(large);
  });

  it('is told in events before its containers', () => {
    expect(resizeMessage('started', asking(large))).toMatch(
      /^Pod resize started: \{"resources":\{"limits":\{"cpu":"500m"/,
    );
  });
});

describe('the status of a pod that has resources as a whole', () => {
  const statusOf = (given: Pod, actualWhole?: ResourceRequirements): PodStatus =>
    apiPodStatus({
      pod: given,
      runtime: emptyRuntimePodStatus({ uid: podUid('a'), name: 'a', namespace: 'shop' }),
      runtimeName: 'r',
      hostIps: [],
      now: 0,
      actualWhole,
    });

  it('tells what it was given and what it has', () => {
    expect(statusOf(asking(large), small)).toMatchObject({ allocatedResources: { cpu: '300m' }, resources: small });
    expect(statusOf(asking(small))).toMatchObject({ allocatedResources: { cpu: '100m' }, resources: small });
  });

  it('tells nothing of that for another pod', () => {
    const status = statusOf(pod({ containers: [container('main')] }));
    expect([status.resources, status.allocatedResources]).toEqual([undefined, undefined]);
  });

  it('is another when either changes, and the same in other words', () => {
    const status: PodStatus = { allocatedResources: { cpu: '100m' }, resources: small };
    expect(sameStatus(status, { ...status, allocatedResources: { cpu: '300m' } })).toBe(false);
    expect(sameStatus(status, { ...status, resources: large })).toBe(false);
    expect(sameStatus(status, { ...status, allocatedResources: { cpu: '0.1' } })).toBe(true);
  });

  it.each<{ rule: string; from: PodStatus; to: PodStatus; patch: object }>([
    {
      rule: 'all of it at first',
      from: {},
      to: { allocatedResources: { cpu: '1' }, resources: small },
      patch: { allocatedResources: { cpu: '1' }, resources: small },
    },
    {
      rule: 'then each amount that is another',
      from: { allocatedResources: { cpu: '100m' }, resources: small },
      to: { allocatedResources: { cpu: '300m' }, resources: large },
      patch: { allocatedResources: { cpu: '300m' }, resources: { requests: { cpu: '300m' }, limits: { cpu: '500m' } } },
    },
    {
      rule: 'and what is not there any more',
      from: { resources: { limits: { cpu: '1', memory: '1Gi' } } },
      to: { resources: { limits: { cpu: '1000m' } } },
      patch: { resources: { limits: { memory: null } } },
    },
    { rule: 'nothing where nothing differs', from: { resources: small }, to: { resources: small }, patch: {} },
  ])('is written as $rule', ({ from, to, patch }) => {
    expect(statusPatch(from, to)).toEqual(patch);
  });
});
