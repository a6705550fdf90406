import { describe, expect, it } from 'vitest';
import { admit, rejectionStatusMessage, type AdmissionNode } from '../../../src/node/admission/admission.ts';
import { AdmittedPods } from '../../../src/node/admission/admitted-pods.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { container, pod, sidecar, type PodParts } from '../../pod/pods.ts';

const node: AdmissionNode = {
  name: 'n1',
  labels: { 'kubernetes.io/os': 'linux', disk: 'ssd', cores: '8' },
  os: 'linux',
  allocatable: { cpu: '2', memory: '1Gi', pods: '3', 'example.test/gpu': '1' },
  taints: [],
  strictSupplementalGroups: false,
};

const asking = (requests: Record<string, string>): PodParts => ({
  containers: [container('main', { resources: { requests } })],
});
const onPort = (hostPort: number, hostIP?: string, protocol?: 'UDP'): PodParts => ({
  containers: [
    container('main', {
      ports: [{ containerPort: 80, hostPort, ...(hostIP && { hostIP }), ...(protocol && { protocol }) }],
    }),
  ],
});
const requiring = (...matchExpressions: readonly object[]): PodParts => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  },
});
const file = { annotations: { 'kubernetes.io/config.source': 'file' } };
const tainted = { ...node, taints: [{ key: 'broken', effect: 'NoExecute' }] };

const reasonOf = (parts: PodParts, on: AdmissionNode = node, admitted = new AdmittedPods()) =>
  admit(pod(parts), on, admitted);

describe('a node takes', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionNode }>([
    { what: 'a pod that asks for nothing', given: {} },
    { what: 'one that just fits', given: asking({ cpu: '2', memory: '1Gi' }) },
    { what: 'one that asks for what this node does not count', given: asking({ 'example.test/unheard-of': '7' }) },
    { what: 'one for this operating system', given: { os: { name: 'linux' } } },
    { what: 'one whose selector it meets', given: { nodeSelector: { disk: 'ssd' } } },
    {
      what: 'one whose affinity it meets',
      given: requiring(
        { key: 'cores', operator: 'Gt', values: ['4'] },
        { key: 'disk', operator: 'In', values: ['ssd'] },
      ),
    },
    { what: 'one that puts up with its taints', given: { tolerations: [{ operator: 'Exists' }] }, on: tainted },
    { what: 'a static pod whatever its taints', given: { metadata: file }, on: tainted },
    {
      what: 'one despite a taint that only keeps schedulers away',
      given: {},
      on: { ...node, taints: [{ key: 'a', effect: 'NoSchedule' }] },
    },
  ])('$what', ({ given, on }) => {
    expect(reasonOf(given, on)).toBeUndefined();
  });
});

describe('a node does not take', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionNode; reason: string; message: string }>([
    {
      what: 'a pod that asks for more CPU than it has',
      given: asking({ cpu: '500' }),
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 500000, used: 0, capacity: 2000",
    },
    {
      what: 'a pod whose init container asks for too much memory',
      given: { initContainers: [container('init', { resources: { requests: { memory: '2Gi' } } })] },
      reason: 'OutOfmemory',
      message: "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    },
    {
      what: 'a pod that only its overhead makes too big',
      given: { ...asking({ cpu: '2' }), overhead: { cpu: '1m' } },
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2001, used: 0, capacity: 2000",
    },
    {
      what: 'more devices than it has',
      given: asking({ 'example.test/gpu': '2' }),
      reason: 'OutOfexample.test/gpu',
      message: "Node didn't have enough resource: example.test/gpu, requested: 2, used: 0, capacity: 1",
    },
    {
      what: 'a pod for another operating system',
      given: { os: { name: 'windows' } },
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    },
    {
      what: 'a pod labelled for another operating system',
      given: { metadata: { labels: { 'kubernetes.io/os': 'windows' } } },
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    },
    {
      what: 'a pod whose selector it does not meet',
      given: { nodeSelector: { disk: 'none-such' } },
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      what: 'a pod whose affinity it does not meet',
      given: requiring({ key: 'disk', operator: 'NotIn', values: ['ssd'] }),
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      what: 'a pod with an affinity that nothing meets',
      given: requiring(),
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      what: 'the pod of another node',
      given: { nodeName: 'n2' },
      reason: 'NodeName',
      message: "Predicate NodeName failed: node(s) didn't match the requested node name",
    },
    {
      what: 'a pod that does not tolerate its taints',
      given: { tolerations: [{ key: 'broken', operator: 'Equal', value: 'no', effect: 'NoExecute' }] },
      on: tainted,
      reason: 'TaintToleration',
      message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    },
    {
      what: 'a pod whose groups its runtime cannot keep to',
      given: { securityContext: { supplementalGroupsPolicy: 'Strict' } },
      reason: 'SupplementalGroupsPolicyNotSupported',
      message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
    },
  ])('$what', ({ given, on, reason, message }) => {
    expect(reasonOf(given, on)).toEqual({ reason, message });
  });

  it.each([
    { taken: onPort(8080), wanted: onPort(8080), fits: false },
    { taken: onPort(8080, '10.0.0.1'), wanted: onPort(8080), fits: false },
    { taken: onPort(8080), wanted: onPort(8080, '10.0.0.1'), fits: false },
    { taken: onPort(8080, '10.0.0.1'), wanted: onPort(8080, '10.0.0.2'), fits: true },
    { taken: onPort(8080), wanted: onPort(8080, undefined, 'UDP'), fits: true },
    { taken: onPort(8080), wanted: onPort(8081), fits: true },
    {
      taken: { initContainers: [sidecar('s', { ports: [{ containerPort: 1, hostPort: 8080 }] })] },
      wanted: onPort(8080),
      fits: false,
    },
    {
      taken: { initContainers: [container('i', { ports: [{ containerPort: 1, hostPort: 8080 }] })] },
      wanted: onPort(8080),
      fits: true,
    },
  ])('a port of the node twice: $taken beside $wanted', ({ taken, wanted, fits }) => {
    const admitted = new AdmittedPods();
    admitted.add(podUid('first'), pod(taken));
    const message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
    expect(reasonOf(wanted, node, admitted)).toEqual(fits ? undefined : { reason: 'NodePorts', message });
    admitted.remove(podUid('first'));
    expect(reasonOf(wanted, node, admitted)).toBeUndefined();
  });

  it('one pod more than it has places for', () => {
    const admitted = new AdmittedPods();
    for (const name of ['a', 'b', 'c']) admitted.add(podUid(name), pod());
    const rejection = reasonOf({}, node, admitted);
    expect(rejection?.message).toBe("Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
    expect(rejectionStatusMessage(rejection ?? { reason: '', message: '' })).toMatch(/^Pod was rejected: Node didn't/);
  });

  it('what others have taken, until they are gone', () => {
    const admitted = new AdmittedPods();
    admitted.add(podUid('a'), pod(asking({ cpu: '1500m' })));
    admitted.add(podUid('a'), pod(asking({ cpu: '1200m' })));
    expect(reasonOf(asking({ cpu: '1' }), node, admitted)?.message).toBe(
      "Node didn't have enough resource: cpu, requested: 1000, used: 1200, capacity: 2000",
    );
    admitted.remove(podUid('a'));
    expect(reasonOf(asking({ cpu: '1' }), node, admitted)).toBeUndefined();
    expect(admitted.requested('cpu')).toBe(0n);
  });
});
