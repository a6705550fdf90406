import { describe, expect, it } from 'vitest';
import {
  admit,
  rejectionStatusMessage,
  restsOnNodeObject,
  type AdmissionNode,
} from '../../../src/node/admission/admission.ts';
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

describe('a node admits', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionNode }>([
    { what: 'a pod without requests', given: {} },
    { what: 'a pod that just fits', given: asking({ cpu: '2', memory: '1Gi' }) },
    { what: 'a pod that requests a resource unknown to the node', given: asking({ 'example.test/unheard-of': '7' }) },
    { what: 'a pod for this operating system', given: { os: { name: 'linux' } } },
    { what: 'a pod whose node selector matches', given: { nodeSelector: { disk: 'ssd' } } },
    {
      what: 'a pod whose affinity matches',
      given: requiring(
        { key: 'cores', operator: 'Gt', values: ['4'] },
        { key: 'disk', operator: 'In', values: ['ssd'] },
      ),
    },
    { what: 'a pod that tolerates its taints', given: { tolerations: [{ operator: 'Exists' }] }, on: tainted },
    { what: 'a static pod in spite of its taints', given: { metadata: file }, on: tainted },
    {
      what: 'a pod in spite of a NoSchedule taint',
      given: {},
      on: { ...node, taints: [{ key: 'a', effect: 'NoSchedule' }] },
    },
  ])('$what', ({ given, on }) => {
    expect(reasonOf(given, on)).toBeUndefined();
  });
});

describe('a node rejects', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionNode; reason: string; message: string }>([
    {
      what: 'a pod that requests more CPU than is free',
      given: asking({ cpu: '500' }),
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 500000, used: 0, capacity: 2000",
    },
    {
      what: 'a pod whose init container requests too much memory',
      given: { initContainers: [container('init', { resources: { requests: { memory: '2Gi' } } })] },
      reason: 'OutOfmemory',
      message: "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    },
    {
      what: 'a pod that is too large with its overhead',
      given: { ...asking({ cpu: '2' }), overhead: { cpu: '1m' } },
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2001, used: 0, capacity: 2000",
    },
    {
      what: 'a pod that requests more devices than are free',
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
      what: 'a pod whose node selector does not match',
      given: { nodeSelector: { disk: 'none-such' } },
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      what: 'a pod whose affinity does not match',
      given: requiring({ key: 'disk', operator: 'NotIn', values: ['ssd'] }),
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
    {
      what: 'a pod with an affinity that matches no node',
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
      what: 'a pod with a supplemental groups policy that the runtime lacks',
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

  it('a pod above the maximum number of pods', () => {
    const admitted = new AdmittedPods();
    for (const name of ['a', 'b', 'c']) admitted.add(podUid(name), pod());
    const rejection = reasonOf({}, node, admitted);
    expect(rejection?.message).toBe("Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3");
    expect(rejectionStatusMessage(rejection ?? { reason: '', message: '' })).toMatch(/^Pod was rejected: Node didn't/);
  });

  it('a pod that needs resources of other pods, until they are gone', () => {
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

describe('a rejection that another Node object would lift', () => {
  it.each([
    { reason: 'NodeAffinity', isSo: true },
    { reason: 'PodOSSelectorNodeLabelDoesNotMatch', isSo: true },
    { reason: 'TaintToleration', isSo: true },
    { reason: 'OutOfexample.test/gpu', isSo: true },
    { reason: 'OutOfcpu', isSo: false },
    { reason: 'OutOfmemory', isSo: false },
    { reason: 'OutOfephemeral-storage', isSo: false },
    { reason: 'OutOfpods', isSo: false },
    { reason: 'NodePorts', isSo: false },
    { reason: 'PodOSNotSupported', isSo: false },
    { reason: 'NodeShutdown', isSo: false },
    { reason: 'Evicted', isSo: false },
  ])('$reason: $isSo', ({ reason, isSo }) => {
    expect(restsOnNodeObject({ reason, message: '' })).toBe(isSo);
  });
});
