import { describe, expect, it } from 'vitest';
import type { FeatureGate } from '../../../src/config/feature-gates.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { AdmittedPods } from '../../../src/node/admission/admitted-pods.ts';
import { appArmorOf } from '../../../src/node/admission/apparmor-admission.ts';
import { declaredFeatures } from '../../../src/node/admission/feature-admission.ts';
import { COMMON_RULES, judgeMore, judgePod, type AdmissionFacts } from '../../../src/node/admission/pod-admission.ts';
import { container, pod, type PodParts } from '../../pod/pods.ts';

const around: AdmissionFacts = {
  node: {
    name: 'n1',
    labels: { 'kubernetes.io/os': 'linux' },
    os: 'linux',
    allocatable: { cpu: '1', memory: '1Gi', pods: '10' },
    taints: [],
    strictSupplementalGroups: true,
  },
  admitted: new AdmittedPods(),
  pressures: undefined,
  shutdown: 'none',
  rules: COMMON_RULES,
};
const withoutGate = (...off: readonly FeatureGate[]): AdmissionFacts => ({
  ...around,
  rules: { ...COMMON_RULES, isOn: (gate) => !off.includes(gate) && COMMON_RULES.isOn(gate) },
});
const judge = (parts: PodParts, on: AdmissionFacts = around) => {
  const judgement = judgePod(pod(parts), { ...on, mayEnd: () => true });
  return judgement.type === 'rejected' ? judgement.rejection : judgement;
};

const large: PodParts = { containers: [container('main', { resources: { requests: { cpu: '2' } } })] };
const confined: PodParts = { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } };
const unsafe: PodParts = { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } };
const podLevel: PodParts = { resources: { requests: { cpu: '100m' } } };
const restartsAll: PodParts = {
  containers: [container('main', { restartPolicyRules: [{ action: 'RestartAllContainers' }] })],
};
const shuttingDown: AdmissionFacts = { ...around, shutdown: 'begun' };
const pressed: AdmissionFacts = { ...around, pressures: { memory: false, disk: true, pid: true } };

describe('a pod is rejected', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionFacts; reason: string; message: string }>([
    {
      what: 'while the node is short of disk and process numbers',
      given: {},
      on: pressed,
      reason: 'Evicted',
      message: 'The node had condition: [DiskPressure, PIDPressure]. ',
    },
    {
      what: 'with a kernel parameter outside its namespaces',
      given: unsafe,
      reason: 'SysctlForbidden',
      message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
    },
    {
      what: 'if the pod does not fit',
      given: large,
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2000, used: 0, capacity: 1000",
    },
    {
      what: 'with an AppArmor profile on a host without AppArmor',
      given: confined,
      reason: 'AppArmor',
      message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    },
    {
      what: 'with an AppArmor profile in the old annotation of a container',
      given: {
        metadata: { annotations: { 'container.apparmor.security.beta.kubernetes.io/main': 'localhost/mine' } },
        containers: [container('main')],
      },
      reason: 'AppArmor',
      message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    },
    {
      what: 'with pod-level resources while their feature gate is off',
      given: podLevel,
      on: withoutGate('PodLevelResources'),
      reason: 'PodLevelResourcesNotSupported',
      message: 'PodLevelResources feature gate is disabled',
    },
    {
      what: 'with a feature that the node has not declared',
      given: restartsAll,
      on: withoutGate('RestartAllContainersOnContainerExits'),
      reason: 'PodFeatureUnsupported',
      message: 'Pod requires node features that are not available: RestartAllContainersOnContainerExits',
    },
    {
      what: 'while the node shuts down',
      given: {},
      on: shuttingDown,
      reason: 'NodeShutdown',
      message: 'Pod was rejected as the node is shutting down.',
    },
    {
      what: 'with huge pages of a size that the node lacks',
      given: { containers: [container('main', { resources: { requests: { 'hugepages-2Mi': '4Mi' } } })] },
      reason: 'OutOfhugepages-2Mi',
      message: "Node didn't have enough resource: hugepages-2Mi, requested: 4194304, used: 0, capacity: 0",
    },
    {
      what: 'if the pod is critical, does not fit, and no pod can be preempted',
      given: { ...large, priority: 2_000_000_000 },
      reason: 'UnexpectedAdmissionError',
      message:
        'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ' +
        'no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    },
  ])('$what', ({ given, on, reason, message }) => {
    expect(judge(given, on)).toEqual({ reason, message });
  });

  it('for the first of several reasons, in this order', () => {
    const everything: PodParts = {
      ...large,
      ...podLevel,
      nodeSelector: { disk: 'ssd' },
      securityContext: { ...unsafe.securityContext, ...confined.securityContext },
    };
    const bad = { ...withoutGate('PodLevelResources'), shutdown: 'begun' as const };
    const reasons = [
      judge(everything, { ...bad, pressures: { memory: false, disk: true, pid: false } }),
      judge(everything, bad),
      judge({ ...everything, ...confined }, bad),
      judge({ ...podLevel, ...confined }, bad),
      judge(podLevel, bad),
      judge({}, bad),
    ];
    expect(reasons.map((found) => ('reason' in found ? found.reason : found.type))).toEqual([
      'Evicted',
      'SysctlForbidden',
      'NodeAffinity',
      'AppArmor',
      'PodLevelResourcesNotSupported',
      'NodeShutdown',
    ]);
  });
});

describe('a pod is admitted', () => {
  it.each<{ what: string; given: PodParts; on?: AdmissionFacts }>([
    { what: 'if the pod is critical, under any pressure', given: { priority: 2_000_000_000 }, on: pressed },
    {
      what: 'with an unconfined AppArmor profile',
      given: { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
    },
    {
      what: 'with an AppArmor profile on a host with AppArmor',
      given: confined,
      on: { ...around, rules: { ...COMMON_RULES, appArmor: 'enabled' } },
    },
    {
      what: 'that was started before the host lost AppArmor',
      given: { ...confined, status: { phase: 'Running' } },
    },
    { what: 'with pod-level resources', given: podLevel },
    { what: 'with a feature that the node has declared', given: restartsAll },
    {
      what: 'with such a feature where no node declares features',
      given: restartsAll,
      on: withoutGate('NodeDeclaredFeatures'),
    },
  ])('$what', ({ given, on }) => {
    expect(judge(given, on)).toEqual({ type: 'admitted' });
  });

  it('if the pod is critical, after its victims have ended', () => {
    const admitted = new AdmittedPods();
    admitted.add(podUid('a'), pod({ containers: [container('main', { resources: { requests: { cpu: '1' } } })] }));
    expect(
      judge(
        { ...large, priority: 2_000_000_000 },
        { ...around, node: { ...around.node, allocatable: { cpu: '2' } }, admitted },
      ),
    ).toEqual({
      type: 'after',
      victims: ['a'],
      lacking: '[(res: cpu, q: 1000), ]',
    });
  });
});

describe('a pod that requests more resources', () => {
  it('gets the reason of the rejection, and preempts no pod', () => {
    const admitted = new AdmittedPods();
    admitted.add(podUid('a'), pod({ containers: [container('main', { resources: { requests: { cpu: '500m' } } })] }));
    const more = pod({
      containers: [container('main', { resources: { requests: { cpu: '600m' } } })],
      priority: 2_000_000_000,
    });
    expect(judgeMore(more, { ...around, admitted })?.reason).toBe('OutOfcpu');
    expect(judgeMore(more, shuttingDown)?.reason).toBe('NodeShutdown');
    expect(judgeMore(more, around)).toBeUndefined();
  });
});

describe('the features of a node', () => {
  it.each<{ rule: string; off: readonly FeatureGate[]; declared: readonly string[] }>([
    {
      rule: 'are declared, sorted',
      off: [],
      declared: ['InPlacePodLevelResourcesVerticalScaling', 'RestartAllContainersOnContainerExits'],
    },
    {
      rule: 'are not declared while their gate is off',
      off: ['RestartAllContainersOnContainerExits'],
      declared: ['InPlacePodLevelResourcesVerticalScaling'],
    },
    { rule: 'are not declared at all while the gate for that is off', off: ['NodeDeclaredFeatures'], declared: [] },
  ])('$rule', ({ off, declared }) => {
    expect(declaredFeatures(withoutGate(...off).rules.isOn)).toEqual(declared);
  });

  it.each([
    { module: 'Y\n', policies: ['policy'], appArmor: 'enabled' },
    { module: 'N\n', policies: ['policy'], appArmor: 'absent' },
    { module: 'Y\n', policies: [], appArmor: 'absent' },
    { module: undefined, policies: [], appArmor: 'absent' },
  ])(
    'is AppArmor $appArmor where its module says $module and has policies $policies',
    ({ module, policies, appArmor }) => {
      expect(appArmorOf({ read: () => module, list: () => policies })).toBe(appArmor);
    },
  );
});
