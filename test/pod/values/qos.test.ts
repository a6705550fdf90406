import { describe, expect, it } from 'vitest';

import type { QosClass, ResourceList } from '../../../src/kube/pod.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { PodParts } from '../pods.ts';
import { container, pod } from '../pods.ts';

const sized = (name: string, limits?: ResourceList, requests?: ResourceList) =>
  container(name, { resources: { ...(limits && { limits }), ...(requests && { requests }) } });
const full = { cpu: '1', memory: '1Gi' };

describe('a pod is', () => {
  it.each<{ qos: QosClass; rule: string; given: PodParts }>([
    { qos: 'BestEffort', rule: 'without resources', given: {} },
    {
      qos: 'BestEffort',
      rule: 'with storage alone',
      given: { containers: [sized('a', { 'ephemeral-storage': '1Gi' })] },
    },
    { qos: 'BestEffort', rule: 'with zero amounts', given: { containers: [sized('a', { cpu: '0' }, { memory: 0 })] } },
    { qos: 'Guaranteed', rule: 'with limits on everything', given: { containers: [sized('a', full)] } },
    {
      qos: 'Guaranteed',
      rule: 'with equal requests, however written',
      given: { containers: [sized('a', full, { cpu: '1000m', memory: '1024Mi' })] },
    },
    { qos: 'Burstable', rule: 'with lower requests', given: { containers: [sized('a', full, { cpu: '500m' })] } },
    {
      qos: 'Burstable',
      rule: 'with a request of zero below a limit',
      given: { containers: [sized('a', full, { cpu: '0' })] },
    },
    { qos: 'Burstable', rule: 'with a limit missing', given: { containers: [sized('a', { cpu: '1' })] } },
    {
      qos: 'Burstable',
      rule: 'with one container without resources',
      given: { containers: [sized('a', full), container('b')] },
    },
    {
      qos: 'Burstable',
      rule: 'with an init container without resources',
      given: { containers: [sized('a', full)], initContainers: [container('i')] },
    },
    {
      qos: 'Guaranteed',
      rule: 'by pod-level limits, above its containers',
      given: { resources: { limits: full }, containers: [container('a')] },
    },
    {
      qos: 'Burstable',
      rule: 'by pod-level requests',
      given: { resources: { requests: full }, containers: [sized('a', full)] },
    },
  ])('$qos $rule', ({ qos, given }) => {
    expect(qosClass(pod(given))).toBe(qos);
  });
});
