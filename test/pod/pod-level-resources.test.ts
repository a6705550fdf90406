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

describe('pod-level resources', () => {
  it("are saved beside the containers' resources, under a separate key", () => {
    expect(resourcesOf(asking(small))).toEqual({ main: {}, [POD_ITSELF]: small });
    expect(resourcesOf(pod({ containers: [container('main')] }))).toEqual({ main: {} });
  });

  it('are restored for the pod, and for no pod without pod-level resources', () => {
    const given = { main: {}, [POD_ITSELF]: small };
    expect(withResources(asking(large), given).spec.resources).toEqual(small);
    expect(withResources(pod({ containers: [container('main')] }), given).spec.resources).toBeUndefined();
  });

  it.each<{ rule: string; wants: ResourceRequirements; has: ResourceRequirements | undefined; other: boolean }>([
    { rule: 'another amount is a difference', wants: large, has: small, other: true },
    {
      rule: 'another spelling of the same amount is no difference',
      wants: small,
      has: { ...small, requests: { cpu: '0.1' } },
      other: false,
    },
    { rule: 'a value that was never recorded is no difference', wants: large, has: undefined, other: false },
  ])('$rule something else', ({ wants, has, other }) => {
    expect(asksForOtherAsAWhole(asking(wants), has)).toBe(other);
    expect(asksForOther(asking(wants), { main: {}, ...(has && { [POD_ITSELF]: has }) })).toBe(other);
  });

  it('limit a container without its own limit', () => {
    expect(withPodLimits({ limits: { cpu: '50m' } }, small)).toEqual({ limits: { cpu: '50m', memory: '64Mi' } });
    expect(withPodLimits(undefined, small)).toEqual({ limits: { cpu: '200m', memory: '64Mi' } });
    expect(withPodLimits(small, undefined)).toBe(small);
  });

  it("are read from the API's status when nothing else is known", () => {
    const shown: PodStatus = { allocatedResources: { cpu: '100m' }, resources: small };
    expect(resourcesInStatus(asking(large, shown))[POD_ITSELF]).toEqual(small);
    expect(resourcesInStatus(asking(large))[POD_ITSELF]).toEqual(large);
  });

  it('come before the containers in events', () => {
    expect(resizeMessage('started', asking(large))).toMatch(
      /^Pod resize started: \{"resources":\{"limits":\{"cpu":"500m"/,
    );
  });
});

describe('the status of a pod with pod-level resources', () => {
  const statusOf = (given: Pod, actualWhole?: ResourceRequirements): PodStatus =>
    apiPodStatus({
      pod: given,
      runtime: emptyRuntimePodStatus({ uid: podUid('a'), name: 'a', namespace: 'shop' }),
      runtimeName: 'r',
      hostIps: [],
      now: 0,
      actualWhole,
    });

  it('has allocated and actual resources', () => {
    expect(statusOf(asking(large), small)).toMatchObject({ allocatedResources: { cpu: '300m' }, resources: small });
    expect(statusOf(asking(small))).toMatchObject({ allocatedResources: { cpu: '100m' }, resources: small });
  });

  it('has neither for other pods', () => {
    const status = statusOf(pod({ containers: [container('main')] }));
    expect([status.resources, status.allocatedResources]).toEqual([undefined, undefined]);
  });

  it('changes with either, and not with another spelling', () => {
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
      rule: 'then each changed amount',
      from: { allocatedResources: { cpu: '100m' }, resources: small },
      to: { allocatedResources: { cpu: '300m' }, resources: large },
      patch: { allocatedResources: { cpu: '300m' }, resources: { requests: { cpu: '300m' }, limits: { cpu: '500m' } } },
    },
    {
      rule: 'and removed amounts',
      from: { resources: { limits: { cpu: '1', memory: '1Gi' } } },
      to: { resources: { limits: { cpu: '1000m' } } },
      patch: { resources: { limits: { memory: null } } },
    },
    { rule: 'nothing where nothing differs', from: { resources: small }, to: { resources: small }, patch: {} },
  ])('is written as $rule', ({ from, to, patch }) => {
    expect(statusPatch(from, to)).toEqual(patch);
  });
});
