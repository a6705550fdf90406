import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../src/config/check/config-problem.ts';
import type { HostOfConfiguration } from '../../../src/config/check/cross-field-rules.ts';
import { configOf, problemsOf } from '../load-support.ts';

interface Case {
  readonly body: string;
  readonly path: string;
  readonly host?: HostOfConfiguration;
}

const v1: HostOfConfiguration = { cgroupVersion: 1, swaps: [] };
const v2: HostOfConfiguration = { cgroupVersion: 2, swaps: [] };
const swapping: HostOfConfiguration = { cgroupVersion: 2, swaps: ['/dev/zram0', '/swapfile'] };

describe('a field alone', () => {
  it.each([
    { body: 'port: 65536', path: 'port' },
    { body: 'port: 2147483648', path: 'port' },
    { body: 'readOnlyPort: -1', path: 'readOnlyPort' },
    { body: 'maxPods: 1.5', path: 'maxPods' },
    { body: 'maxPods: "5"', path: 'maxPods' },
    { body: 'maxPods: [5]', path: 'maxPods' },
    { body: 'enableServer: "true"', path: 'enableServer' },
    { body: 'clusterDomain: 5', path: 'clusterDomain' },
    { body: 'clusterDNS: 10.0.0.1', path: 'clusterDNS' },
    { body: 'clusterDNS: [dns.local]', path: 'clusterDNS[0]' },
    { body: 'clusterDNS: [10.0.0.1, null]', path: 'clusterDNS[1]' },
    { body: 'evictionHard: [memory.available]', path: 'evictionHard' },
    { body: 'evictionHard: {memory.available: 101%}', path: 'evictionHard["memory.available"]' },
    { body: 'evictionHard: {memory.available: -1Gi}', path: 'evictionHard["memory.available"]' },
    { body: 'evictionHard: {nodefs.inodesFree: 5}', path: 'evictionHard["nodefs.inodesFree"]' },
    { body: 'evictionMinimumReclaim: {memory.available: 0%}', path: 'evictionMinimumReclaim["memory.available"]' },
    { body: 'evictionSoftGracePeriod: {memory.available: -1s}', path: 'evictionSoftGracePeriod["memory.available"]' },
    { body: 'podLogsDir: /var/log/../pods', path: 'podLogsDir' },
    { body: 'podLogsDir: pods', path: 'podLogsDir' },
    { body: 'podLogsDir: /var/log/pöds', path: 'podLogsDir' },
    { body: 'registryPullQPS: -1', path: 'registryPullQPS' },
    { body: 'oomScoreAdj: -1001', path: 'oomScoreAdj' },
    { body: 'imageGCHighThresholdPercent: 101', path: 'imageGCHighThresholdPercent' },
    { body: 'nodeLeaseDurationSeconds: -1', path: 'nodeLeaseDurationSeconds' },
    { body: 'nodeStatusMaxImages: -2', path: 'nodeStatusMaxImages' },
    { body: 'topologyManagerPolicy: strict', path: 'topologyManagerPolicy' },
    { body: 'hairpinMode: veth', path: 'hairpinMode' },
    { body: 'cgroupDriver: docker', path: 'cgroupDriver' },
    { body: 'authorization: {mode: RBAC}', path: 'authorization.mode' },
    { body: 'runOnce: true', path: 'runOnce' },
    { body: 'iptablesDropBit: 32', path: 'iptablesDropBit' },
    { body: 'maxParallelImagePulls: 0', path: 'maxParallelImagePulls' },
    { body: 'containerLogMaxFiles: 1', path: 'containerLogMaxFiles' },
    { body: 'containerLogMaxSize: big', path: 'containerLogMaxSize' },
    { body: 'containerLogMonitorInterval: 2s', path: 'containerLogMonitorInterval' },
    { body: 'imageMinimumGCAge: -1s', path: 'imageMinimumGCAge' },
    { body: 'syncFrequency: -1s', path: 'syncFrequency' },
    { body: 'memoryThrottlingFactor: 0', path: 'memoryThrottlingFactor' },
    { body: 'memoryThrottlingFactor: 1.1', path: 'memoryThrottlingFactor' },
    { body: 'userNamespaces: {idsPerPod: 65537}', path: 'userNamespaces.idsPerPod' },
    { body: 'userNamespaces: {idsPerPod: 4294967296}', path: 'userNamespaces.idsPerPod' },
    { body: 'crashLoopBackOff: {maxContainerRestartPeriod: 301s}', path: 'crashLoopBackOff.maxContainerRestartPeriod' },
    { body: 'crashLoopBackOff: {maxContainerRestartPeriod: 0s}', path: 'crashLoopBackOff.maxContainerRestartPeriod' },
    { body: 'shutdownGracePeriod: 500ms', path: 'shutdownGracePeriod' },
    { body: 'reservedSystemCPUs: 3-1', path: 'reservedSystemCPUs' },
    { body: 'showHiddenMetricsForVersion: "1.30"', path: 'showHiddenMetricsForVersion' },
    { body: 'enforceNodeAllocatable: [everything]', path: 'enforceNodeAllocatable[0]' },
    { body: 'systemReserved: {gpu: "1"}', path: 'systemReserved["gpu"]' },
    { body: 'kubeReserved: {cpu: -1m}', path: 'kubeReserved["cpu"]' },
    { body: 'qosReserved: {memory: 50}', path: 'qosReserved["memory"]' },
    { body: 'qosReserved: {memory: "50"}', path: 'qosReserved["memory"]' },
    { body: 'reservedMemory: [{numaNode: 0, limits: {cpu: 1}}]', path: 'reservedMemory[0].limits["cpu"]' },
    { body: 'reservedMemory: [{numaNode: 0, limits: {memory: 0}}]', path: 'reservedMemory[0].limits["memory"]' },
    { body: 'registerWithTaints: [{key: a, effect: Never}]', path: 'registerWithTaints[0].effect' },
    { body: 'registerWithTaints: [{effect: NoSchedule}]', path: 'registerWithTaints[0].key' },
    {
      body: 'registerWithTaints: [{key: a, effect: NoSchedule, timeAdded: now}]',
      path: 'registerWithTaints[0].timeAdded',
    },
    { body: 'tracing: {samplingRatePerMillion: 1000001}', path: 'tracing.samplingRatePerMillion' },
    { body: 'tracing: {endpoint: "http://host:1"}', path: 'tracing.endpoint' },
    { body: 'logging: {format: xml}', path: 'logging.format' },
    { body: 'logging: {verbosity: 2147483648}', path: 'logging.verbosity' },
    { body: 'logging: {flushFrequency: -1s}', path: 'logging.flushFrequency' },
    { body: 'logging: {vmodule: [{filePattern: "a=b", verbosity: 1}]}', path: 'logging.vmodule[0].filePattern' },
    { body: 'cpuManagerPolicyOptions: {full-pcpu: "true"}', path: 'cpuManagerPolicyOptions["full-pcpu"]' },
    {
      body: 'topologyManagerPolicyOptions: {max-allowable-numa-nodes: "4"}',
      path: 'topologyManagerPolicyOptions["max-allowable-numa-nodes"]',
    },
    { body: 'imagePullCredentialsVerificationPolicy: Sometimes', path: 'imagePullCredentialsVerificationPolicy' },
    { body: 'memorySwap: {swapBehavior: Unlimited}', path: 'memorySwap.swapBehavior' },
    { body: 'featureGates: {NodeSwap: false}', path: 'featureGates["NodeSwap"]' },
    { body: 'featureGates: {PodsAPI: "true"}', path: 'featureGates["PodsAPI"]' },
    { body: 'featureGates: {NoSuchGateAtAll: true}', path: 'featureGates["NoSuchGateAtAll"]' },
  ] satisfies Case[])('$body breaks the rule of $path', async ({ body, path }) => {
    const problems = await problemsOf({ body });
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.line).toBe(3);
  });
});

describe('fields together', () => {
  it.each([
    { body: 'imageMinimumGCAge: 2h\nimageMaximumGCAge: 1h', path: 'imageMaximumGCAge' },
    { body: 'imageGCHighThresholdPercent: 80\nimageGCLowThresholdPercent: 80', path: 'imageGCLowThresholdPercent' },
    // Only one of the two fields was written, so the problem names that field.
    { body: 'imageGCHighThresholdPercent: 70', path: 'imageGCLowThresholdPercent' },
    { body: 'maxParallelImagePulls: 2\nserializeImagePulls: true', path: 'maxParallelImagePulls' },
    { body: 'preloadedImagesVerificationAllowlist: [a.io/b]', path: 'preloadedImagesVerificationAllowlist' },
    { body: 'systemCgroups: /system', path: 'systemCgroups' },
    { body: 'cgroupsPerQOS: false', path: 'cgroupsPerQOS' },
    { body: 'cpuCFSQuotaPeriod: 2s', path: 'cpuCFSQuotaPeriod' },
    { body: 'cpuCFSQuotaPeriod: 50ms\nfeatureGates: {CustomCPUCFSQuotaPeriod: false}', path: 'cpuCFSQuotaPeriod' },
    { body: 'reservedSystemCPUs: "0"\nkubeReservedCgroup: /kube', path: 'reservedSystemCPUs' },
    { body: 'enforceNodeAllocatable: [pods, pods]', path: 'enforceNodeAllocatable[1]' },
    { body: 'enforceNodeAllocatable: [none, pods]', path: 'enforceNodeAllocatable[0]' },
    { body: 'enforceNodeAllocatable: [system-reserved]', path: 'enforceNodeAllocatable[0]' },
    {
      body: 'enforceNodeAllocatable: [kube-reserved, kube-reserved-compressible]\nkubeReservedCgroup: /kube',
      path: 'enforceNodeAllocatable[1]',
    },
    { body: 'evictionSoft: {memory.available: 1Gi}', path: 'evictionSoft["memory.available"]' },
    { body: 'shutdownGracePeriod: 10s\nshutdownGracePeriodCriticalPods: 20s', path: 'shutdownGracePeriodCriticalPods' },
    {
      body: 'shutdownGracePeriod: 10s\nshutdownGracePeriodByPodPriority: [{priority: 0}]',
      path: 'shutdownGracePeriodByPodPriority',
    },
    {
      body: 'shutdownGracePeriod: 10s\nfeatureGates: {GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false, WindowsGracefulNodeShutdown: false}',
      path: 'shutdownGracePeriod',
    },
    { body: 'enableSystemLogQuery: true\nenableSystemLogHandler: false', path: 'enableSystemLogQuery' },
    { body: 'logging: {format: json, vmodule: [{filePattern: a, verbosity: 1}]}', path: 'logging.vmodule' },
    { body: 'logging: {options: {text: {splitStream: true}}}', path: 'logging.options.text.splitStream' },
    { body: 'memoryReservationPolicy: TieredReservation', path: 'memoryReservationPolicy' },
    {
      body: 'reservedMemory: [{limits: {memory: 1Gi}}, {limits: {memory: 2Gi}}]',
      path: 'reservedMemory[1].limits["memory"]',
    },
    { body: 'cpuManagerPolicyOptions: {align-by-socket: "true"}', path: 'cpuManagerPolicyOptions["align-by-socket"]' },
    {
      body: 'crashLoopBackOff: {maxContainerRestartPeriod: 10s}\nfeatureGates: {KubeletCrashLoopBackOffMax: false}',
      path: 'crashLoopBackOff.maxContainerRestartPeriod',
    },
    {
      body: 'serverTLSBootstrap: true\nfeatureGates: {RotateKubeletServerCertificate: false}',
      path: 'serverTLSBootstrap',
    },
    { body: 'featureGates: {ContainerRestartRules: false}', path: 'featureGates["ContainerRestartRules"]' },
    {
      body: 'featureGates: {RestartAllContainersOnContainerExits: true, ContainerRestartRules: false}',
      path: 'featureGates["RestartAllContainersOnContainerExits"]',
    },
    { body: 'singleProcessOOMKill: false\nfailCgroupV1: false', path: 'singleProcessOOMKill', host: v1 },
    { body: 'failCgroupV1: true', path: 'failCgroupV1', host: v1 },
    { body: 'memorySwap: {swapBehavior: LimitedSwap}\nfailCgroupV1: false', path: 'memorySwap.swapBehavior', host: v1 },
    { body: 'failSwapOn: true', path: 'failSwapOn', host: swapping },
  ] satisfies Case[])('$body conflict at $path', async ({ body, path, ...host }: Case) => {
    const problems = await problemsOf({ body, ...host });
    expect(problems.map((problem) => problem.path)).toEqual([path]);
    expect(problems[0]?.source).toBe('/etc/kubelet.yaml');
  });

  it('report a missing related field at the place of the given one', async () => {
    const problems = await problemsOf({ body: 'imageGCHighThresholdPercent: 70' });
    expect(problems.map(formatProblem)).toEqual([
      '/etc/kubelet.yaml:3:30: imageGCLowThresholdPercent: found the default, expected less than imageGCHighThresholdPercent (70)',
    ]);
  });

  it.each([
    'cgroupsPerQOS: false\nenforceNodeAllocatable: []',
    'cgroupsPerQOS: false\nenforceNodeAllocatable: [none]',
    'enforceNodeAllocatable: [pods, system-reserved, kube-reserved-compressible]\nsystemReservedCgroup: /s\nkubeReservedCgroup: /k',
    'memoryReservationPolicy: TieredReservation\nfeatureGates: {MemoryQoS: true}',
    'cpuManagerPolicyOptions: {align-by-socket: "true"}\nfeatureGates: {AllAlpha: true}',
    'shutdownGracePeriodByPodPriority: [{priority: 5, shutdownGracePeriodSeconds: 3}]',
    'preloadedImagesVerificationAllowlist: [a.io/b/*]\nimagePullCredentialsVerificationPolicy: NeverVerifyAllowlistedImages',
    'evictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: 1m}',
    'tracing: {endpoint: "localhost:4317", samplingRatePerMillion: 0}',
    'singleProcessOOMKill: false\nfailCgroupV1: true',
    'imageMaximumGCAge: 72h',
    'evictionHard: {imagefs.available: 0%, nodefs.available: 100%}',
  ])('agree: %s', async (body) => {
    expect(await problemsOf({ body })).toEqual([]);
    expect(await configOf({ body })).toBeDefined();
  });
});

describe('a host that the configuration does not permit', () => {
  it.each([
    {
      rule: 'cgroup v1, by default',
      host: v1,
      body: '',
      says: ['defaults: failCgroupV1: found true by default, expected false: this host has cgroup v1'],
    },
    {
      rule: 'swap, by default, compressed memory included',
      host: swapping,
      body: '',
      says: ['defaults: failSwapOn: found true by default, expected false: this host swaps to /dev/zram0, /swapfile'],
    },
    {
      rule: 'LimitedSwap on cgroup v1',
      host: v1,
      body: 'memorySwap: {swapBehavior: LimitedSwap}\nfailCgroupV1: false',
      says: [
        '/etc/kubelet.yaml:3:28: memorySwap.swapBehavior: found LimitedSwap, expected NoSwap: this host has cgroup v1, and only cgroup v2 limits swap',
      ],
    },
  ])('is refused with the setting that would permit the agent: $rule', async ({ host, body, says }) => {
    expect((await problemsOf({ body, host })).map(formatProblem)).toEqual(says);
  });

  it('is refused for a flag as well', async () => {
    const problems = await problemsOf({ flags: { 'fail-swap-on': 'true' }, host: swapping });
    expect(problems.map(formatProblem)).toEqual([
      '--fail-swap-on=true: expected false: this host swaps to /dev/zram0, /swapfile (failSwapOn)',
    ]);
  });

  it.each([
    { rule: 'cgroup v1 with failCgroupV1: false', host: v1, body: 'failCgroupV1: false' },
    { rule: 'swap with failSwapOn: false', host: swapping, body: 'failSwapOn: false' },
    { rule: 'LimitedSwap on cgroup v2', host: v2, body: 'memorySwap: {swapBehavior: LimitedSwap}' },
    { rule: 'cgroup v2 without swap, by default', host: v2, body: '' },
  ])('is permitted: $rule', async ({ host, body }) => {
    expect(await problemsOf({ body, host })).toEqual([]);
  });
});

describe('fields without an effect in this agent', () => {
  it.each([
    { body: 'cpuManagerPolicy: static', says: 'cpuManagerPolicy: found static, expected none: this agent gives no' },
    {
      body: 'memoryManagerPolicy: Static',
      says: 'memoryManagerPolicy: found Static, expected None: this agent pins no',
    },
    {
      body: 'topologyManagerPolicy: best-effort',
      says: 'topologyManagerPolicy: found best-effort, expected none: this',
    },
  ])('is refused at the start, and not passed over: $body', async ({ body, says }) => {
    const [problem, ...others] = (await problemsOf({ body })).map(formatProblem);
    expect(problem).toContain(says);
    expect(others).toEqual([]);
  });
});
